import { Badge, Button, Checkbox, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { inOrder, roles as allRoles, type Role } from "../../../domain/people/roles.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { changeIfSame, readWithTag, sameIn } from "../../api/read-with-tag.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useDraft } from "../../ui/form/draft.ts";
import { RestoredInput } from "../../ui/form/restored-input.tsx";
import { FreshValues } from "../../ui/notice/changed-meanwhile.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { useIntent } from "../../ui/intent.ts";
import { useReturnFocus } from "../../ui/dialog/use-return-focus.ts";
import { Section } from "../../ui/section.tsx";

type HeldRoles = Schemas["UserRoles"];

const rolesKey = (userID: string) => ["user", userID, "roles"];

/** Shows a person's roles, the origin of each role, and the dialog that changes the roles. */
export function UserRoles({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const [changing, { open, close }] = useDisclosure();
  useIntent(`/users/${userID}`, { changeRoles: open });
  const { data, error, refetch } = useQuery({
    queryKey: rolesKey(userID),
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/roles", { params: { path: { userID } }, signal })),
  });
  return (
    <Section
      title={t("roles.title")}
      note={t("roles.note")}
      aside={
        data !== undefined && (
          <Allowed to="giveRoles">
            <Button size="xs" variant="default" onClick={open}>
              {t("roles.change")}
            </Button>
          </Allowed>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={40} role="status" aria-label={t("shell.loading")} />}
      {data?.roles.length === 0 && <Text c="dimmed">{t("roles.none")}</Text>}
      {data !== undefined && data.roles.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: "none" }}>
          {data.roles.map((role) => (
            <li key={role}>
              <Group gap="xs">
                <Text fw={600}>{t(`roles.names.${role}`)}</Text>
                {data.fromProvider.includes(role) && (
                  <Badge variant="light" color="gray" tt="none">
                    {t("roles.fromProvider")}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {t(`roles.what.${role}`)}
              </Text>
            </li>
          ))}
        </Stack>
      )}
      {changing && data !== undefined && <Change userID={userID} held={data} onClose={close} />}
    </Section>
  );
}

function Change({ userID, held: current, onClose }: { userID: string; held: HeldRoles; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [opened] = useState(current);
  /** The current roles, once another user has changed them. */
  const [fresh, setFresh] = useState<HeldRoles>();
  const held = fresh ?? opened;
  const form = useForm<{ roles: readonly Role[] }>({ initialValues: { roles: held.given } });
  const { roles: wanted } = form.values;
  const { restored, forget, discard } = useDraft(form, { name: `roles of ${userID}` });
  useReturnFocus();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      changeIfSame<HeldRoles, unknown>({
        read: () => readWithTag(api.GET("/api/user/{userID}/roles", { params: { path: { userID } } })),
        isSame: (now) => sameIn(["given", "fromProvider"], now, held),
        change: (header) =>
          dataOf(
            api.PUT("/api/user/{userID}/roles", {
              params: { path: { userID }, header },
              body: { roles: inOrder(wanted) },
            }),
          ),
      }),
    async onSuccess(outcome) {
      if ("now" in outcome) {
        setFresh(outcome.now);
        form.setInitialValues({ roles: outcome.now.given });
        discard();
        return;
      }
      forget();
      await queries.invalidateQueries({ queryKey: rolesKey(userID) });
      void queries.invalidateQueries({ queryKey: ["audit"] });
      void queries.invalidateQueries({ queryKey: ["roles"] });
      // The changed roles may be those of the signed-in user.
      void queries.invalidateQueries({ queryKey: ["session"] });
      notifyDone(t("roles.saved"));
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t("roles.change")} closeButtonProps={{ "aria-label": t("confirm.close") }}>
      <Stack>
        <RestoredInput restored={restored} discard={discard} />
        {fresh !== undefined && <FreshValues now={fresh} />}
        {allRoles.map((role) => (
          <Checkbox
            key={role}
            label={t(`roles.names.${role}`)}
            description={
              held.fromProvider.includes(role)
                ? `${t(`roles.what.${role}`)} ${t("roles.alsoFromProvider")}`
                : t(`roles.what.${role}`)
            }
            checked={wanted.includes(role)}
            onChange={({ currentTarget: { checked } }) => {
              form.setFieldValue(
                "roles",
                allRoles.filter((one) => (one === role ? checked : wanted.includes(one))),
              );
            }}
          />
        ))}
        {error !== null && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              discard();
              onClose();
            }}
          >
            {t("confirm.cancel")}
          </Button>
          <Button
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {t("forms.save")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
