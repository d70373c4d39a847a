import { Anchor, Button, Card, Loader, Group, List, Stack, Text } from "@mantine/core";
import { IconCheck, IconDownload } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { base } from "../../api/page-settings.ts";
import { saveFile } from "../../list/export-csv.ts";
import { Section } from "../../ui/section.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Time } from "../../ui/value/time.tsx";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { installCommand, packageName, type RadiusPackage } from "./radius-package.ts";
import { asked, factsOf, type Asked } from "./radius-questions.ts";

/** Short, because a person is watching while the server starts. */
const refetchMs = 3_000;

/** Shows how to install the package, and whether the server has sent a request since this page was opened. */
export function RadiusSteps({ made }: { made: RadiusPackage }) {
  const { t } = useTranslation();
  const seen = useQuestions();
  return (
    <Stack gap="lg" maw={760}>
      <LeaveGuard when={seen.servers.length === 0} text={t("freeradius.leave")} />
      <Section title={t("freeradius.steps.install")} note={t("freeradius.steps.installText", { name: packageName })}>
        <CopyBox text={installCommand} label={t("freeradius.steps.install")} />
        <Group>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              saveFile(made.archive, packageName);
            }}
          >
            {t("freeradius.again")}
          </Button>
        </Group>
      </Section>
      <Section title={t("freeradius.steps.accessPoints")} note={t("freeradius.steps.accessPointsText")}>
        <CopyBox text={made.secret} label={t("freeradius.secret")} />
      </Section>
      <Section title={t("freeradius.steps.wait")}>
        <Card withBorder aria-live="polite">
          <Seen seen={seen} testSecret={made.testSecret} />
        </Card>
      </Section>
    </Stack>
  );
}

function Seen({ seen, testSecret }: { seen: Asked; testSecret: string }) {
  const { t } = useTranslation();
  if (seen.servers.length === 0) {
    return (
      <Group gap="sm" wrap="nowrap">
        <Loader size="sm" aria-hidden />
        <Text size="sm">{t("freeradius.waiting")}</Text>
      </Group>
    );
  }
  return (
    <Stack gap="xs">
      <Group gap="sm" wrap="nowrap">
        <IconCheck aria-hidden />
        <Text size="sm">{t("freeradius.asked")}</Text>
      </Group>
      <List size="sm">
        {seen.servers.map(({ address, lastAt }) => (
          <List.Item key={address} style={{ overflowWrap: "anywhere" }}>
            {address}: <Time at={lastAt} relative />
          </List.Item>
        ))}
      </List>
      {seen.deviceCheckedAt !== null ? (
        <Text size="sm">
          {t("freeradius.checked")}: <Time at={seen.deviceCheckedAt} relative />
        </Text>
      ) : (
        <>
          <Text size="sm">
            {t("freeradius.ownDevice")}{" "}
            <Anchor href={`${base}/me`} target="_blank" underline="always" inherit>
              {t("setup.links.own_devices")}
            </Anchor>
          </Text>
          <CopyBox text={`eapol_test -c laptop.conf -s ${testSecret}`} label={t("freeradius.test")} />
        </>
      )}
    </Stack>
  );
}

/** Returns the requests since the page was opened. */
function useQuestions(): Asked {
  const load = async ({ signal }: { signal: AbortSignal }) => factsOf(await dataOf(api.GET("/api/setup", { signal })));
  const { data: before } = useQuery({
    queryKey: ["radius-questions", "before"],
    queryFn: load,
    staleTime: Infinity,
    gcTime: 0,
  });
  const { data: now } = useQuery({ queryKey: ["radius-questions", "now"], queryFn: load, refetchInterval: refetchMs });
  return before === undefined || now === undefined ? { servers: [], deviceCheckedAt: null } : asked(before, now);
}
