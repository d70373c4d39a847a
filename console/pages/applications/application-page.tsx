import { Button, Card, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlayerPause, IconPlayerPlay, IconTrash } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { ErrorNotice, useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { notifyDone, notifyFailed } from "../../ui/notice/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { loadPart } from "../../ui/load-file.ts";
import { PersonLink } from "../../ui/value/person.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useApplicationChanges } from "./application-changes.ts";
import { ApplicationSettings } from "./application-settings.tsx";
import { ApplicationText } from "./application-text.tsx";
import { applicationKey, type Application } from "./applications.ts";
import { NewSecret } from "./new-secret.tsx";
import { StaticTokens } from "./static-tokens.tsx";
import { TryIt } from "./try-it.tsx";

const Requests = lazy(() => loadPart(() => import("./requests.tsx")));

/** Shows one application: its settings, its requests and the actions on it. */
export function ApplicationPage() {
  const { t } = useTranslation();
  const { clientId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: applicationKey(clientId),
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/applications/{client_id}", { params: { path: { client_id: clientId } }, signal })),
  });
  if (data !== undefined) return <Known key={data.client_id} application={data} />;
  return (
    <Page title={t("applications.one")}>
      {error === null ? (
        <Skeleton height={160} radius="md" role="status" aria-label={t("shell.loading")} />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Known({ application }: { application: Application }) {
  const { t } = useTranslation();
  const may = useMay();
  const { name, type, active, client_id: clientId, createdBy, creationDate, lastUsed } = application;
  return (
    <Page
      title={name}
      lead={t(`applications.types.${type}.title`)}
      actions={
        <Allowed to="changeApplication">
          <Actions application={application} />
        </Allowed>
      }
    >
      <Facts
        facts={[
          [t("applications.state"), <StatusBadge key="state" status={active ? "active" : "off"} />],
          [
            t("applications.lastUsed"),
            lastUsed === null ? t("applications.never") : <Time key="used" at={lastUsed} relative />,
          ],
          [t("applications.clientId"), <CopyBox key="id" text={clientId} label={t("applications.clientId")} />],
          [t("applications.registeredAt"), <Time key="created" at={creationDate} />],
          [t("applications.registeredBy"), <Creator key="creator" id={createdBy} />],
        ]}
      />
      <Card withBorder component="section" aria-label={t("applications.settings")}>
        {may("changeApplication") ? (
          <ApplicationSettings application={application} />
        ) : (
          <ApplicationText application={application} />
        )}
      </Card>
      {application.scopes.includes("scim") && <StaticTokens clientId={clientId} />}
      <Suspense fallback={<Skeleton height={340} radius="md" role="status" aria-label={t("shell.loading")} />}>
        <Requests clientId={clientId} />
      </Suspense>
      <Card withBorder component="section" aria-label={t("applications.tryIt")}>
        <TryIt application={application} />
      </Card>
    </Page>
  );
}

/** Shows the creator by ID: user IDs are numbers, client IDs are UUIDs, and anything else is the operator. */
function Creator({ id }: { id: string }) {
  if (/^\d+$/.test(id)) return <PersonLink userID={id} />;
  if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id)) return id;
  return (
    <AnchorLink to="/applications/$clientId" params={{ clientId: id }} inherit>
      <ApplicationName clientId={id} />
    </AnchorLink>
  );
}

function Actions({ application }: { application: Application }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const message = useErrorMessage();
  const { change, remove } = useApplicationChanges(application.client_id);
  const [renewing, { open, close }] = useDisclosure();
  const { name, active, useClientSecret } = application;

  const turn = async (on: boolean): Promise<void> => {
    try {
      const outcome = await change({ active: on }, { seen: { ...application, active: !on }, names: ["active"] });
      if ("now" in outcome) {
        notifyFailed(t("forms.meanwhile.fresh"));
        return;
      }
    } catch (error) {
      notifyFailed(message(error as Error));
      return;
    }
    notifyDone(t(on ? "applications.switchedOn" : "applications.switchedOff", { name }), {
      label: t("forms.undo"),
      act: () => turn(!on),
    });
  };

  return (
    <>
      <Button
        variant="default"
        leftSection={active ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />}
        onClick={() => void turn(!active)}
      >
        {t(active ? "applications.switchOff" : "applications.switchOn")}
      </Button>
      {useClientSecret && (
        <Button variant="default" leftSection={<IconKey size={16} aria-hidden />} onClick={open}>
          {t("applications.newSecret")}
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => {
          confirm({
            title: t("applications.deleteTitle", { name }),
            children: <Text inherit>{t("applications.deleteText")}</Text>,
            confirmLabel: t("applications.deleteNamed", { name }),
            typed: name,
            async onConfirm() {
              await remove();
              notifyDone(t("applications.deleted", { name }));
              await navigate({ to: "/applications" });
            },
          });
        }}
      >
        {t("applications.delete")}
      </Button>
      {renewing && <NewSecret application={application} onClose={close} />}
    </>
  );
}
