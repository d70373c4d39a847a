import { NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { realmLimits } from "../../../domain/realm.ts";
import { api, dataOf } from "../../api/api-client.ts";
import { changeIfSame, readWithTag } from "../../api/read-with-tag.ts";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { personName } from "../../ui/value/person.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import type { User } from "./load-users.ts";

const limitMax = realmLimits.maxProfiles;

/** Sets a person's own profile limit, or restores the realm's limit. */
export function LimitDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { userID } = user;
  const [opened] = useState(user);
  /** The current user, once somebody else has changed the limit. */
  const [fresh, setFresh] = useState<User>();
  const rule = t("users.limit.rule", { max: limitMax });
  const form = useForm<{ whose: string; profileOverride: number | string }>({
    initialValues: valuesOf(user),
    validate: {
      profileOverride: (value, { whose }) =>
        whose === "own" && !(Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limitMax) ? rule : null,
    },
  });
  const submission = useSubmission({
    form,
    fields: { profileOverride: { label: t("users.limit.label"), rule } },
    draft: { name: `limit of ${userID}` },
    async send({ whose, profileOverride: own }) {
      const body = { profileOverride: whose === "own" ? Number(own) : 0 };
      const path = { userID };
      const outcome = await changeIfSame<User, unknown>({
        read: () => readWithTag(api.GET("/api/user/{userID}", { params: { path } })),
        isSame: (now) => now.profileOverride === (fresh ?? opened).profileOverride,
        change: (header) => dataOf(api.PUT("/api/user/{userID}/limit", { params: { path, header }, body })),
      });
      if ("now" in outcome) {
        setFresh(outcome.now);
        form.setInitialValues(valuesOf(outcome.now));
        form.reset();
        return;
      }
      notifyDone(t("users.limit.done"));
      onClose();
      await Promise.all(["user", "users", "audit"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
  });
  return (
    <FormDialog
      title={t("users.limit.title", { name: personName(user) })}
      submission={submission}
      fresh={fresh}
      onClose={onClose}
    >
      <Radio.Group label={t("users.limit.label")} {...form.getInputProps("whose")}>
        <Stack gap="xs" mt="xs">
          <Radio value="realm" label={t("users.limit.asRealm")} />
          <Radio value="own" label={t("users.limit.asOwn")} />
        </Stack>
      </Radio.Group>
      {form.values.whose === "own" && (
        <NumberInput
          label={t("users.limit.number")}
          min={1}
          max={limitMax}
          clampBehavior="none"
          allowDecimal={false}
          data-autofocus
          {...form.getInputProps("profileOverride")}
        />
      )}
      <Text size="sm" c="dimmed">
        {t("users.limit.stay")}
      </Text>
    </FormDialog>
  );
}

const valuesOf = ({ profileOverride, maxProfiles }: User) => ({
  whose: profileOverride > 0 ? "own" : "realm",
  profileOverride: maxProfiles,
});
