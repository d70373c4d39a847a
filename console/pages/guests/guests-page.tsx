import { Button, Modal, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus, IconUserHeart } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CsvColumn } from "../../../domain/csv.ts";
import { api, dataOf, listOf } from "../../api/api-client.ts";
import { byText } from "../../list/by-text.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { Filter } from "../../list/filters.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { formatNumber, Time } from "../../ui/value/time.tsx";
import { useNewDialog } from "../../ui/dialog/use-new-dialog.ts";
import { useHasDraft } from "../../ui/form/draft.ts";
import { EventForm, eventDraft } from "./event-form.tsx";
import { GuestAccountForm, type GuestAccountSettings } from "./guest-account-form.tsx";
import { guestAccountsKey, guestAccountStatus, readGuestLink, sheetOf, type GuestAccount } from "./guest-accounts.ts";

export function GuestsPage() {
  const { t } = useTranslation();
  const [creating, { open, close }] = useNewDialog();
  const columns = useColumns();
  const filters = useFilters();
  const create = useMay()("createGuest") && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {t("guests.create")}
    </Button>
  );

  return (
    <Page title={t("nav.guests")} lead={t("guests.lead")} actions={create}>
      <DataList
        name={guestAccountsKey}
        label={t("nav.guests")}
        load={(query, signal) => listOf(api.GET("/api/guest-accounts", { params: { query: byText(query) }, signal }))}
        idOf={({ id }) => id}
        rowLabel={({ name }) => name}
        columns={columns}
        exported={{ as: "guest_accounts", columns: useExported() }}
        filters={filters}
        searchLabel={t("guests.search")}
        noMatchHint={t("guests.searchHint")}
        empty={{ icon: IconUserHeart, text: t("guests.empty"), action: create }}
      />
      <Modal
        opened={creating}
        onClose={close}
        title={t("guests.create")}
        closeButtonProps={{ "aria-label": t("confirm.close") }}
      >
        <Creation onClose={close} />
      </Modal>
    </Page>
  );
}

/** Creates a guest account, either with all settings or for an event. */
function Creation({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayShowLink = useMay()("showGuestLink");
  const hasDraft = useHasDraft();
  const [kind, setKind] = useState<"account" | "event">(hasDraft(eventDraft) ? "event" : "account");
  const create = async (body: GuestAccountSettings, { key }: { key: string }): Promise<undefined> => {
    const params = { header: { "Idempotency-Key": key } };
    const { id, name } = await dataOf(api.POST("/api/guest-account", { params, body }));
    // If the link could not be read, a retry with the same key returns the account that already exists.
    const link = kind === "event" && mayShowLink ? await readGuestLink(id) : undefined;
    void queries.invalidateQueries({ queryKey: [guestAccountsKey] });
    notifyDone(t("guests.created", { name }));
    await navigate({ to: "/guests/$guestAccountId", params: { guestAccountId: id } });
    if (link !== undefined) location.assign(sheetOf(link));
  };
  return (
    <Stack>
      <SegmentedControl
        aria-label={t("guests.kind")}
        value={kind}
        onChange={setKind}
        data={[
          { value: "account", label: t("guests.one") },
          { value: "event", label: t("guests.event.one") },
        ]}
      />
      {kind === "account" ? (
        <GuestAccountForm submitLabel={t("guests.create")} onSend={create} onCancel={onClose} />
      ) : (
        <EventForm onSend={create} onCancel={onClose} />
      )}
    </Stack>
  );
}

function useColumns(): Column<GuestAccount>[] {
  const { t, i18n } = useTranslation();
  const limitOf = ({ activeProfileCount, profileLimit }: GuestAccount): string =>
    `${formatNumber(activeProfileCount, i18n.language)} / ${profileLimit === null ? t("guests.unlimited") : formatNumber(profileLimit, i18n.language)}`;
  return [
    {
      key: "name",
      title: t("guests.fields.name"),
      sortKey: "name",
      card: "title",
      render: ({ id, name }) => (
        <AnchorLink
          to="/guests/$guestAccountId"
          params={{ guestAccountId: id }}
          inherit
          style={{ overflowWrap: "anywhere" }}
        >
          {name}
        </AnchorLink>
      ),
    },
    {
      key: "profiles",
      title: t("guests.profilesOfLimit"),
      sortKey: "profilelimit",
      width: 250,
      render: (account) => <Text inherit>{limitOf(account)}</Text>,
    },
    {
      key: "ends",
      title: t("guests.ends"),
      sortKey: "expirationtime",
      width: 210,
      render: (account) => (
        <Time at={account.expirationDate} struck={guestAccountStatus(account, new Date()) === "expired"} />
      ),
    },
    {
      key: "state",
      title: t("guests.state"),
      width: 150,
      card: "badge",
      render: (account) => <StatusBadge status={guestAccountStatus(account, new Date())} />,
    },
  ];
}

function useFilters(): Filter[] {
  const { t } = useTranslation();
  return [
    {
      kind: "choice",
      key: "invalid",
      label: t("guests.state"),
      choices: [
        { value: "false", label: t("guests.notRevoked") },
        { value: "true", label: t("status.revoked") },
      ],
    },
    { kind: "days", min: "minExpirationTime", max: "maxExpirationTime", label: t("guests.ends") },
    { kind: "days", min: "minCreateTime", max: "maxCreateTime", label: t("guests.created_at") },
  ];
}

function useExported(): CsvColumn<GuestAccount>[] {
  const { t } = useTranslation();
  return [
    { title: t("guests.fields.name"), text: ({ name }) => name },
    { title: t("guests.activeProfiles"), text: ({ activeProfileCount }) => activeProfileCount },
    { title: t("guests.profilesAllowed"), text: ({ profileLimit }) => profileLimit ?? t("guests.unlimited") },
    { title: t("guests.ends"), time: ({ expirationDate }) => expirationDate },
    { title: t("guests.state"), text: (account) => t(`status.${guestAccountStatus(account, new Date())}`) },
  ];
}
