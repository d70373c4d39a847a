import { Button, FileButton, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconTrash, IconUpload } from "../../ui/icons.tsx";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { logoBytesMax, logoPixelsMax } from "../../../domain/limits.ts";
import { logoFaults, logoTypes, type LogoFault, type LogoType } from "../../../domain/realm-logo.ts";
import { api, ApiError, dataOf, send } from "../../api/api-client.ts";
import { base } from "../../api/page-settings.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useSession } from "../../session/session.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import { SettingCard } from "./setting-card.tsx";

const logoKey = ["realm logo"] as const;

/** Shows the uploaded logo, and lets the user replace or remove it. */
export function LogoCard() {
  const { t } = useTranslation();
  const { realm } = useSession();
  const queries = useQueryClient();
  const read = useQuery({
    queryKey: logoKey,
    queryFn: ({ signal }) => dataOf(api.GET("/api/realm/logo", { signal })),
  });
  const change = useMutation({
    mutationFn: (file: File | null) => (file === null ? remove() : upload(file)),
    async onSuccess(_, file) {
      notifyDone(t(file === null ? "settings.logo.removed" : "settings.logo.uploaded"));
      await Promise.all([logoKey, ["audit"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const { data, error } = read;
  if (data === undefined)
    return error === null ? null : <ErrorNotice error={error} onRetry={() => void read.refetch()} />;
  const { uploaded } = data;
  const fault = change.error === null ? undefined : faultOf(change.error);
  return (
    <SettingCard
      id="logo"
      title={t("settings.logo.title")}
      note={t("settings.logo.note", { size: logoBytesMax / 1024, pixels: logoPixelsMax })}
    >
      {uploaded === null ? (
        <Text size="sm">{t("settings.logo.none")}</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }} maw={620}>
          {(["light", "dark"] as const).map((theme) => (
            <LogoPreview
              key={theme}
              theme={theme}
              address={`${base}/realms/${realm.name}/logo?v=${uploaded.slice(0, 8)}`}
              isOwn
              displayName={realm.displayName}
            />
          ))}
        </SimpleGrid>
      )}
      <Stack gap="xs" role="alert">
        {fault !== undefined && (
          <Text size="sm" c="red">
            {t(`settings.logo.faults.${fault}`, { size: logoBytesMax / 1024, pixels: logoPixelsMax })}
          </Text>
        )}
        {change.error !== null && fault === undefined && <ErrorNotice error={change.error} />}
      </Stack>
      <Allowed to="changeSettings">
        <Group gap="xs">
          <FileButton
            accept={logoTypes.join(",")}
            inputProps={{ "aria-label": t("settings.logo.choose") }}
            onChange={(file) => {
              if (file !== null) change.mutate(file);
            }}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconUpload size={16} aria-hidden />}
                loading={change.isPending}
              >
                {t(uploaded === null ? "settings.logo.choose" : "settings.logo.replace")}
              </Button>
            )}
          </FileButton>
          {uploaded !== null && (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              disabled={change.isPending}
              onClick={() => {
                change.mutate(null);
              }}
            >
              {t("settings.logo.remove")}
            </Button>
          )}
        </Group>
      </Allowed>
    </SettingCard>
  );
}

const remove = (): Promise<unknown> => dataOf(api.DELETE("/api/realm/logo"));

/** Sends the file's bytes. The service checks only the bytes, but requires an accepted type. */
function upload(file: File): Promise<unknown> {
  const type: LogoType = file.type === "image/png" ? "image/png" : "image/svg+xml";
  return send("/api/realm/logo", { method: "PUT", body: file, headers: { "Content-Type": type } });
}

/** Returns the fault for which the service refused a picture; undefined for any other error. */
function faultOf(error: Error): LogoFault | "too_large" | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "payload_too_large") return "too_large";
  const path = error.fields[0]?.path ?? "";
  return Object.hasOwn(logoFaults, path) ? (path as LogoFault) : undefined;
}
