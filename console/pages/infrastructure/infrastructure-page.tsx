import { Button, Modal, Text } from "@mantine/core";
import { IconPlus, IconRouter } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";
import type { CsvColumn } from "../../../domain/csv.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { Filter } from "../../list/filters.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Page } from "../../ui/page.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useNewDialog } from "../../ui/dialog/use-new-dialog.ts";
import { useReturnFocus } from "../../ui/dialog/use-return-focus.ts";
import { LastCheck } from "../../activity/last-check.tsx";
import { CreatedFiles } from "./created-files.tsx";
import { CreationForm } from "./creation-form.tsx";
import {
  infrastructureKey,
  infrastructureStatus,
  loadInfrastructureProfiles,
  type CreatedInfrastructureProfile,
  type InfrastructureProfile,
} from "./infrastructure-profiles.ts";
import { ProfileDrawer } from "./profile-drawer.tsx";

/** Shows the profiles for servers and access points. */
export function InfrastructurePage() {
  const { t } = useTranslation();
  const [creating, { open, close }] = useNewDialog();
  const columns = useColumns();
  const filters = useFilters();
  const may = useMay()("createInfrastructure");
  const create = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {t("infrastructure.create")}
    </Button>
  );
  const lead = (
    <>
      {t("infrastructure.lead")}{" "}
      {may && (
        <AnchorLink to="/infrastructure/radius" inherit underline="always">
          {t("freeradius.title")}
        </AnchorLink>
      )}
    </>
  );
  return (
    <Page title={t("nav.infrastructure")} lead={lead} actions={create}>
      <DataList
        name={infrastructureKey}
        label={t("nav.infrastructure")}
        load={loadInfrastructureProfiles}
        idOf={({ serial }) => serial}
        rowLabel={({ name }) => name}
        columns={columns}
        exported={{ as: "infrastructure_profiles", columns: useExported() }}
        filters={filters}
        searchLabel={t("infrastructure.search")}
        noMatchHint={t("infrastructure.searchHint")}
        empty={{ icon: IconRouter, text: t("infrastructure.empty"), action: create }}
      />
      <ProfileDrawer />
      {creating && <Creation onClose={close} />}
    </Page>
  );
}

function Creation({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [created, setCreated] = useState<CreatedInfrastructureProfile>();
  const closable = created === undefined;
  useReturnFocus();
  return (
    <Modal
      opened
      size="lg"
      title={closable ? t("infrastructure.create") : t("infrastructure.created", { name: created.name })}
      // The result is shown only once, so the user must not close it by accident.
      closeOnEscape={closable}
      closeOnClickOutside={closable}
      withCloseButton={closable}
      onClose={onClose}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {closable ? (
        <CreationForm
          onCreated={(profile) => {
            void queries.invalidateQueries({ queryKey: [infrastructureKey] });
            setCreated(profile);
          }}
          onCancel={onClose}
        />
      ) : (
        <CreatedFiles profile={created} onDone={onClose} />
      )}
    </Modal>
  );
}

function useColumns(): Column<InfrastructureProfile>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("infrastructure.fields.name"),
      card: "title",
      render: ({ serial, name }) => (
        <AnchorLink
          to="."
          search={(search) => ({ ...search, open: serial })}
          resetScroll={false}
          inherit
          style={{ overflowWrap: "anywhere" }}
        >
          {name}
        </AnchorLink>
      ),
    },
    {
      key: "description",
      title: t("infrastructure.fields.description"),
      render: ({ description }) =>
        description !== null && (
          <Text inherit lineClamp={2}>
            {description}
          </Text>
        ),
    },
    {
      key: "issued",
      title: t("infrastructure.issued"),
      sortKey: "creation_date",
      width: 170,
      render: ({ creationDate }) => <Time at={creationDate} />,
    },
    {
      key: "ends",
      title: t("infrastructure.ends"),
      sortKey: "expiration_date",
      width: 140,
      render: (profile) => (
        <Time at={profile.expirationDate} dateOnly struck={infrastructureStatus(profile) === "expired"} />
      ),
    },
    {
      key: "state",
      title: t("infrastructure.state"),
      width: 130,
      card: "badge",
      render: (profile) => <StatusBadge status={infrastructureStatus(profile)} />,
    },
    {
      key: "lastCheck",
      title: t("activity.lastCheck"),
      width: 190,
      render: ({ lastOcsp, revokeDate }) => (
        <LastCheck check={lastCheckOf({ lastCheckAt: lastOcsp, revokedAt: revokeDate })} />
      ),
    },
    {
      key: "serial",
      title: t("infrastructure.serial"),
      sortKey: "serial",
      width: 160,
      render: ({ serial }) => <Serial serial={serial} short />,
    },
  ];
}

function useFilters(): Filter[] {
  const { t } = useTranslation();
  return [
    {
      kind: "choice",
      key: "invalid",
      label: t("infrastructure.state"),
      choices: [
        { value: "false", label: t("infrastructure.notRevoked") },
        { value: "true", label: t("status.revoked") },
      ],
    },
    { kind: "days", min: "minExpirationTime", max: "maxExpirationTime", label: t("infrastructure.ends") },
    { kind: "days", min: "minCreateTime", max: "maxCreateTime", label: t("infrastructure.issued") },
  ];
}

function useExported(): CsvColumn<InfrastructureProfile>[] {
  const { t } = useTranslation();
  return [
    { title: t("infrastructure.fields.name"), text: ({ name }) => name },
    { title: t("infrastructure.fields.description"), text: ({ description }) => description },
    { title: t("infrastructure.issued"), time: ({ creationDate }) => creationDate },
    { title: t("infrastructure.ends"), time: ({ expirationDate }) => expirationDate },
    { title: t("infrastructure.state"), text: (profile) => t(`status.${infrastructureStatus(profile)}`) },
    { title: t("activity.lastCheck"), time: ({ lastOcsp }) => lastOcsp },
    { title: t("infrastructure.serial"), serial: ({ serial }) => serial },
  ];
}
