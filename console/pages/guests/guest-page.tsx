import { Button, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBan, IconPencil } from "../../ui/icons.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { changeIfSame, readWithTag, sameIn } from "../../api/read-with-tag.ts";
import { Allowed } from "../../session/allowed.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { formatNumber, Time } from "../../ui/value/time.tsx";
import { Timeline } from "../../activity/timeline.tsx";
import { GuestAccountForm, type GuestAccountSettings } from "./guest-account-form.tsx";
import { guestAccountKey, guestAccountsKey, guestAccountStatus, type GuestAccount } from "./guest-accounts.ts";
import { GuestLink } from "./guest-link.tsx";
import { GuestProfiles } from "./guest-profiles.tsx";

/** Shows one guest account: settings, link, profiles. */
export function GuestPage() {
  const { t } = useTranslation();
  const { guestAccountId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: guestAccountKey(guestAccountId),
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/guest-accounts/{guestAccountId}", { params: { path: { guestAccountId } }, signal })),
  });
  if (data !== undefined) return <Account key={data.id} account={data} />;
  return (
    <Page title={t("guests.one")}>
      {error === null ? (
        <Skeleton height={160} radius="md" role="status" aria-label={t("shell.loading")} />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Account({ account }: { account: GuestAccount }) {
  const { t, i18n } = useTranslation();
  const [editing, { open, close }] = useDisclosure();
  const { change, revoke } = useAccountChanges(account);
  const { name, note, profileLimit, activeProfileCount, creationDate, expirationDate, revoked } = account;
  const status = guestAccountStatus(account, new Date());
  const number = (value: number) => formatNumber(value, i18n.language);

  const actions = !revoked && (
    <>
      <Allowed to="changeGuest">
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
          {t("guests.edit")}
        </Button>
      </Allowed>
      <Allowed to="revokeGuest">
        <Button
          variant="light"
          color="red"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => {
            confirm({
              title: t("guests.revokeTitle", { name }),
              children: <Text inherit>{t("guests.revokeText", { count: activeProfileCount })}</Text>,
              confirmLabel: t("guests.revokeNamed", { name }),
              onConfirm: revoke,
            });
          }}
        >
          {t("guests.revoke")}
        </Button>
      </Allowed>
    </>
  );

  return (
    <Page title={name} lead={t("guests.one")} actions={actions}>
      <Facts
        facts={[
          [t("guests.state"), <StatusBadge key="state" status={status} />],
          [t("guests.ends"), <Time key="ends" at={expirationDate} relative struck={status === "expired"} />],
          [
            t("guests.profilesOfLimit"),
            `${number(activeProfileCount)} / ${profileLimit === null ? t("guests.unlimited") : number(profileLimit)}`,
          ],
          [t("guests.created_at"), <Time key="created" at={creationDate} />],
          [
            t("guests.fields.note"),
            note === null ? (
              t("guests.noNote")
            ) : (
              <Text key="note" inherit style={{ whiteSpace: "pre-wrap" }}>
                {note}
              </Text>
            ),
          ],
        ]}
      />
      {status === "active" && (
        <Allowed to="showGuestLink">
          <GuestLink account={account} />
        </Allowed>
      )}
      <Stack gap="sm" component="section" aria-label={t("nav.profiles")}>
        <GuestProfiles account={account} />
      </Stack>
      <Timeline
        about={`guest:${account.id}`}
        load={(query, signal) =>
          dataOf(
            api.GET("/api/guest-accounts/{guestAccountId}/timeline", {
              params: { path: { guestAccountId: account.id }, query },
              signal,
            }),
          )
        }
      />
      <Modal
        opened={editing}
        onClose={close}
        title={t("guests.editTitle", { name })}
        closeButtonProps={{ "aria-label": t("confirm.close") }}
      >
        <GuestAccountForm
          account={account}
          submitLabel={t("forms.save")}
          onSend={async (settings, { seen }) => {
            const outcome = await change(settings, seen ?? account);
            if (outcome === undefined) close();
            return outcome;
          }}
          onCancel={close}
        />
      </Modal>
    </Page>
  );
}

/** Returns functions that change or revoke an account. */
function useAccountChanges(account: GuestAccount): {
  /** Changes an account if it still equals `seen`; otherwise returns the account's current state. */
  change: (settings: GuestAccountSettings, seen: GuestAccount) => Promise<{ now: GuestAccount } | undefined>;
  revoke: (confirmTotal?: number) => Promise<void>;
} {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const params = { path: { guestAccountId: account.id } };
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: guestAccountKey(account.id) });
    void queries.invalidateQueries({ queryKey: [guestAccountsKey] });
  };

  return {
    async change(settings, seen) {
      const body = changesOf(seen, settings);
      if (Object.keys(body).length === 0) return undefined;
      const outcome = await changeIfSame<GuestAccount, unknown>({
        read: () => readWithTag(api.GET("/api/guest-accounts/{guestAccountId}", { params })),
        isSame: (now) => sameIn(["name", "note", "expirationDate", "profileLimit"], now, seen),
        change: (header) =>
          dataOf(api.PUT("/api/guest-accounts/{guestAccountId}", { params: { ...params, header }, body })),
      });
      await refresh();
      if ("now" in outcome) return outcome;
      notifyDone(t("guests.saved"));
      return undefined;
    },
    async revoke(confirmTotal) {
      const body = confirmTotal === undefined ? {} : { confirmTotal };
      await dataOf(api.DELETE("/api/guest-accounts/{guestAccountId}", { params, body }));
      await refresh();
      notifyDone(t("guests.revoked", { name: account.name }));
    },
  };
}

/** Returns only the changed settings. */
const changesOf = (account: GuestAccount, settings: GuestAccountSettings): Partial<GuestAccountSettings> => ({
  ...(settings.name !== account.name && { name: settings.name }),
  ...(settings.expirationDate !== account.expirationDate && { expirationDate: settings.expirationDate }),
  ...(settings.note !== account.note && { note: settings.note }),
  ...(settings.profileLimit !== account.profileLimit && { profileLimit: settings.profileLimit }),
});
