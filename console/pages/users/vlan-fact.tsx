import { Button, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Vlan } from "../../../domain/people/vlan.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { changeIfSame, readWithTag } from "../../api/read-with-tag.ts";
import { Allowed } from "../../session/allowed.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { personName } from "../../ui/value/person.tsx";
import type { User } from "./load-users.ts";

type UserVlan = Schemas["UserVLAN"];

/** Shows the VLAN of a person's devices, the reason for this VLAN, and a button that sets another VLAN. */
export function VlanFact({ user }: { user: User }) {
  const { t } = useTranslation();
  const [changing, { open, close }] = useDisclosure();
  const { userID } = user;
  const { data } = useQuery({
    queryKey: ["user", userID, "vlan"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/vlan", { params: { path: { userID } }, signal })),
  });
  if (data === undefined) return null;
  return (
    <Group gap="xs">
      {t(`users.vlan.${originOf(data)}`, { vlan: data.vlan })}
      <Allowed to="changeVlan">
        <Button size="compact-sm" variant="default" onClick={open}>
          {t("users.vlan.change")}
        </Button>
      </Allowed>
      {changing && <VlanDialog user={user} held={data} onClose={close} />}
    </Group>
  );
}

function originOf({ given, fromProvider, realmDefault }: UserVlan): "given" | "byRule" | "byDefault" | "none" {
  if (given !== null) return "given";
  if (fromProvider !== null) return "byRule";
  return realmDefault === null ? "none" : "byDefault";
}

/** Sets a person's VLAN by hand, or restores the VLAN that the realm's rules select. */
function VlanDialog({ user, held, onClose }: { user: User; held: UserVlan; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { userID } = user;
  // The value when the dialog opened; the page may reload its value while the dialog is open.
  const [opened] = useState(held);
  /** The current VLAN, once another user has changed it. */
  const [fresh, setFresh] = useState<UserVlan>();
  const rule = t("users.vlan.rule");
  const form = useForm({
    initialValues: valuesOf(opened),
    validate: {
      vlan: (value, { whose }) => (whose === "own" && !Vlan.safeParse(value.trim()).success ? rule : null),
    },
  });
  const submission = useSubmission({
    form,
    fields: { vlan: { label: t("users.vlan.label"), rule } },
    draft: { name: `vlan of ${userID}` },
    async send({ whose, vlan }) {
      const path = { userID };
      const body = { vlan: whose === "own" ? vlan.trim() : null };
      const outcome = await changeIfSame<UserVlan, UserVlan>({
        read: () => readWithTag(api.GET("/api/user/{userID}/vlan", { params: { path } })),
        isSame: (now) => now.given === (fresh ?? opened).given,
        change: (header) => dataOf(api.PUT("/api/user/{userID}/vlan", { params: { path, header }, body })),
      });
      if ("now" in outcome) {
        setFresh(outcome.now);
        form.setInitialValues(valuesOf(outcome.now));
        form.reset();
        return;
      }
      notifyDone(t("users.vlan.done"));
      onClose();
      await Promise.all(["user", "audit"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
  });
  return (
    <FormDialog
      title={t("users.vlan.title", { name: personName(user) })}
      submission={submission}
      fresh={fresh}
      onClose={onClose}
    >
      <Radio.Group label={t("users.vlan.label")} {...form.getInputProps("whose")}>
        <Stack gap="xs" mt="xs">
          <Radio value="realm" label={t("users.vlan.asRealm")} />
          <Radio value="own" label={t("users.vlan.asOwn")} />
        </Stack>
      </Radio.Group>
      {form.values.whose === "own" && (
        <TextInput label={t("users.vlan.value")} description={rule} data-autofocus {...form.getInputProps("vlan")} />
      )}
      <Text size="sm" c="dimmed">
        {t("users.vlan.later")}
      </Text>
    </FormDialog>
  );
}

const valuesOf = ({ given, vlan }: UserVlan) => ({ whose: given === null ? "realm" : "own", vlan: vlan ?? "" });
