import { Button, Collapse, Group, Radio, Select, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "../../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { useSubmission } from "../../../ui/form/submission.tsx";
import { deviceTypes, type DeviceType } from "../../../../domain/certificate/device.ts";
import { ProfileName, profileNameLengthMax } from "../../../../domain/certificate/profile.ts";
import { useWords } from "../../../texts/words.ts";
import { useDeviceTypeChoices } from "../../../ui/value/device-types.ts";
import { createProfile, type CreatedProfile, type ProfileRequest } from "./create-profile.ts";
import { formatsFor, type OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";
import type { User } from "../load-users.ts";

/** Returns true for a usable name. The name is a path segment, which cannot be `.` or `..`. */
const isName = (name: string): boolean => ProfileName.safeParse(name).success && !/^\.{1,2}$/.test(name);

/** The most common device. */
const usualDevice: DeviceType = "iOS";

/** Shows the form for a new profile. The device type selects the format; other formats are collapsed. */
export function CreateProfileForm({
  user: { userID },
  onCancel,
  onCreated,
}: {
  user: User;
  onCancel: () => void;
  onCreated: (created: CreatedProfile, format: OfferedFormat) => void;
}) {
  const { t } = useTranslation();
  const words = useWords();
  const [others, { toggle }] = useDisclosure();
  const rule = t("users.create.nameRule", { max: profileNameLengthMax });
  const form = useForm<ProfileRequest & Record<string, unknown>>({
    initialValues: { name: "", deviceType: usualDevice, format: formatsFor[usualDevice][0] },
    validate: { name: (name) => (isName(name.trim()) ? null : rule) },
  });
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields: { name: { label: t("profiles.columns.name"), rule } },
    draft: { name: `profile of ${userID}` },
    async send(wanted, sending) {
      const profile = { ...wanted, name: wanted.name.trim() };
      onCreated(await createProfile(userID, profile, sending), wanted.format);
    },
  });
  const [offered, ...more] = formatsFor[form.values.deviceType];

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {summary}
        <TextInput
          label={t("profiles.columns.name")}
          description={t("users.create.nameHint")}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps("name")}
        />
        <Select
          label={t("profiles.columns.deviceType")}
          data={useDeviceTypeChoices()}
          allowDeselect={false}
          value={form.values.deviceType}
          onChange={(value) => {
            const deviceType = deviceTypes.find((known) => known === value) ?? usualDevice;
            form.setValues({ deviceType, format: formatsFor[deviceType][0] });
          }}
        />
        <Text size="sm">{words.formats[form.values.format]}</Text>
        <div>
          <UnstyledButton onClick={toggle} aria-expanded={others} mih={24}>
            <Group gap={4}>
              {others ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
              <Text size="sm" fw={500}>
                {t("users.create.otherFormats")}
              </Text>
            </Group>
          </UnstyledButton>
          <Collapse expanded={others}>
            <Radio.Group aria-label={t("users.create.format")} {...form.getInputProps("format")}>
              <Stack gap="xs" mt="xs">
                {[offered, ...more].map((format) => (
                  <Radio key={format} value={format} label={words.formats[format]} />
                ))}
              </Stack>
            </Radio.Group>
          </Collapse>
        </div>
        {busy && (
          <Text size="sm" role="status">
            {t("users.create.making")}
          </Text>
        )}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              discard();
              onCancel();
            }}
          >
            {t("confirm.cancel")}
          </Button>
          <Button type="submit" loading={busy}>
            {t("users.create.submit")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
