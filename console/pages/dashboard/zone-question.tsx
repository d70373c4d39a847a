import { Alert, Button, Group, Text } from "@mantine/core";
import { IconClock } from "../../ui/icons.tsx";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { useMay } from "../../session/may.ts";
import { useSession } from "../../session/session.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { browsersZone } from "../../session/local-time.ts";

/** The zone of a realm until an administrator chooses one. */
const firstZone = "UTC";
const isUTC = (zone: string): boolean => /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|GMT)$/.test(zone);

/** Proposes the browser's time zone while the realm's zone is UTC and the browser's zone is different. */
export function ZoneQuestion() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { name, timeZone } = useSession().realm;
  const storageKey = `realmpass-zone-kept ${name}`;
  const may = useMay();
  const [kept, setKept] = useState(() => localStorage.getItem(storageKey) !== null);
  const zone = browsersZone();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => dataOf(api.PUT("/api/realm/settings", { body: { timeZone: zone } })),
    async onSuccess() {
      // Reloads the data of all pages, so their times use the new zone.
      await queries.invalidateQueries();
      notifyDone(t("dashboard.zone.done", { zone }));
    },
  });
  if (kept || timeZone !== firstZone || isUTC(zone) || !may("changeSettings")) return null;
  return (
    <Alert color="blue" icon={<IconClock aria-hidden />} title={t("dashboard.zone.title")}>
      <Text size="sm" mb="xs">
        {t("dashboard.zone.text", { zone })}
      </Text>
      {error !== null && <ErrorNotice error={error} />}
      <Group gap="xs">
        <Button
          size="xs"
          loading={isPending}
          onClick={() => {
            mutate();
          }}
        >
          {t("dashboard.zone.take", { zone })}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            localStorage.setItem(storageKey, "1");
            setKept(true);
          }}
        >
          {t("dashboard.zone.keep")}
        </Button>
      </Group>
    </Alert>
  );
}
