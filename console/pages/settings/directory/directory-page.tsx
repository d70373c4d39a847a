import { Alert, Button, Card, Group, List, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconUserOff } from "../../../ui/icons.tsx";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { newPeopleFrom, pairwiseAttributes } from "../../../../domain/people/directory.ts";
import { useMay } from "../../../session/may.ts";
import { AnchorLink } from "../../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { Page } from "../../../ui/page.tsx";
import { CopyBox } from "../../../ui/value/copy-box.tsx";
import { Facts } from "../../../ui/value/facts.tsx";
import { formatNumber, Time } from "../../../ui/value/time.tsx";
import { SettingCard } from "../setting-card.tsx";
import { useDirectory, useDirectoryChange, type Directory } from "./directory.ts";

/** Shows the directory that adds and removes people: its address, connections, numbers and settings. */
export function DirectoryPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useDirectory();
  return (
    <Page title={t("settings.directory.title")} lead={t("settings.directory.note")}>
      {data !== undefined ? (
        <Stack maw={900}>
          <HeldNotice directory={data} />
          <Connections directory={data} />
          <Numbers directory={data} />
          <Meeting directory={data} />
          <Products />
        </Stack>
      ) : error === null ? (
        <Skeleton height={320} radius="md" role="status" aria-label={t("shell.loading")} />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function HeldNotice({ directory: { heldJob } }: { directory: Directory }) {
  const { t } = useTranslation();
  if (heldJob === null) return null;
  return (
    <Alert color="red" icon={<IconUserOff aria-hidden />} title={t("dashboard.warnings.held.title")} role="status">
      <Text size="sm">
        {t("dashboard.warnings.held.text")}{" "}
        <AnchorLink to="/jobs/$id" params={{ id: heldJob }} inherit underline="always">
          {t("dashboard.warnings.held.open")}
        </AnchorLink>
      </Text>
    </Alert>
  );
}

function Connections({ directory: { baseURL, connections } }: { directory: Directory }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <SettingCard title={t("settings.directory.connections")} note={t("settings.directory.connectionsNote")}>
      <Text size="sm" fw={500}>
        {t("settings.directory.address")}
      </Text>
      <CopyBox text={baseURL} label={t("settings.directory.address")} block />
      {connections.length === 0 && <Text size="sm">{t("settings.directory.unconnected")}</Text>}
      <List listStyleType="none" spacing="xs">
        {connections.map(({ client_id: clientId, name, active, lastUsed }) => (
          <List.Item key={clientId}>
            <AnchorLink to="/applications/$clientId" params={{ clientId }} inherit>
              {name}
            </AnchorLink>
            {": "}
            {!active ? (
              t("settings.directory.off")
            ) : lastUsed === null ? (
              t("settings.directory.silent")
            ) : (
              <>
                {t("settings.directory.lastUsed")} <Time at={lastUsed} relative />
              </>
            )}
          </List.Item>
        ))}
      </List>
      {may("registration") && (
        <Group>
          <Button component={Link} to="/applications/new" size="xs" variant="default">
            {t("settings.directory.connect")}
          </Button>
        </Group>
      )}
    </SettingCard>
  );
}

function Numbers({ directory }: { directory: Directory }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const { people, active, offboardedThisHour, limitThisHour, lastSignIns } = directory;
  return (
    <SettingCard title={t("settings.directory.numbers")}>
      <Facts
        facts={[
          [t("settings.directory.people"), number(people)],
          [t("settings.directory.active"), number(active)],
          [
            t("settings.directory.guard"),
            t("settings.directory.guardUse", { used: number(offboardedThisHour), limit: number(limitThisHour) }),
          ],
          [
            t("settings.directory.lastSignIns"),
            t("settings.directory.unknown", { unknown: lastSignIns.unknown, people: lastSignIns.people }),
          ],
        ]}
      />
      <Text size="sm" c="dimmed">
        {t("settings.directory.unknownHint")}
      </Text>
    </SettingCard>
  );
}

/**
 * Lets the user choose how people who sign in are matched with the directory's people, and where new people come from.
 */
function Meeting({ directory: { pairwise, newPeople, people, attributes } }: { directory: Directory }) {
  const { t } = useTranslation();
  const may = useMay();
  const { mutate, isPending, error } = useDirectoryChange();
  const mayChange = may("changeSettings") && !isPending;
  return (
    <SettingCard title={t("settings.directory.meeting")} note={t("settings.directory.meetingNote")}>
      {error !== null && <ErrorNotice error={error} />}
      <Select
        label={t("settings.directory.pairwise")}
        description={t("settings.directory.pairwiseHint")}
        data={pairwiseAttributes}
        value={pairwise}
        allowDeselect={false}
        disabled={!mayChange || people > 0}
        onChange={(chosen) => {
          const found = pairwiseAttributes.find((attribute) => attribute === chosen);
          if (found !== undefined) mutate({ pairwise: found });
        }}
      />
      <Select
        label={t("settings.directory.newPeople")}
        description={t("settings.directory.newPeopleHint")}
        data={newPeopleFrom.map((value) => ({ value, label: t(`settings.directory.from.${value}`) }))}
        value={newPeople}
        allowDeselect={false}
        disabled={!mayChange}
        onChange={(chosen) => {
          const found = newPeopleFrom.find((from) => from === chosen);
          if (found !== undefined) mutate({ newPeople: found });
        }}
      />
      {attributes.length > 0 && (
        <>
          <Text size="sm">{t("settings.directory.attributes")}</Text>
          <Facts facts={attributes.map(({ claim, path }) => [claim, path])} />
        </>
      )}
    </SettingCard>
  );
}

const products = ["entra", "okta", "others"] as const;

/** Shows which attribute each directory product sends as the person's identity. */
function Products() {
  const { t } = useTranslation();
  return (
    <Card withBorder component="section" aria-label={t("settings.directory.products.title")}>
      <Stack>
        <Title order={2} size="h3">
          {t("settings.directory.products.title")}
        </Title>
        {products.map((product) => (
          <div key={product}>
            <Text fw={600}>{t(`settings.directory.products.${product}.name`)}</Text>
            <Text size="sm">{t(`settings.directory.products.${product}.text`)}</Text>
          </div>
        ))}
      </Stack>
    </Card>
  );
}
