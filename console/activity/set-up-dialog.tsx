import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconDeviceMobilePlus } from "../ui/icons.tsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DeviceType } from "../../domain/certificate/device.ts";
import { ProfileName, profileNameLengthMax } from "../../domain/certificate/profile.ts";
import { api, dataOf, type Schemas } from "../api/api-client.ts";
import { useDeviceTypeChoices } from "../ui/value/device-types.ts";
import { useReturnFocus } from "../ui/dialog/use-return-focus.ts";
import { useSubmission } from "../ui/form/submission.tsx";
import { CopyBox } from "../ui/value/copy-box.tsx";
import { formatTime } from "../ui/value/time.tsx";

/** The device to set up again. */
export type KnownDevice = Pick<Schemas["Profile"], "name" | "deviceType">;

/** Shows a button that opens the dialog for a set-up link, for the given device or for any device. */
export function SetUpButton({
  userID,
  device,
  size = "sm",
}: {
  userID: string;
  device?: KnownDevice;
  size?: "xs" | "sm";
}) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        w="fit-content"
        size={size}
        leftSection={<IconDeviceMobilePlus size={16} aria-hidden />}
        onClick={() => {
          setOpened(true);
        }}
      >
        {t(device === undefined ? "setUpLink.action" : "setUpLink.again")}
      </Button>
      {opened && (
        <SetUpDialog
          userID={userID}
          device={device}
          onClose={() => {
            setOpened(false);
          }}
        />
      )}
    </>
  );
}

/** Makes a set-up link and a short code for one device of a person, and shows the link and the code. */
export function SetUpDialog({
  userID,
  device,
  onClose,
}: {
  userID: string;
  device?: KnownDevice | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [made, setMade] = useState<Schemas["HandOver"]>();
  useReturnFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("setUpLink.title")}
      closeOnClickOutside={made === undefined}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {made === undefined ? (
        <SetUpForm userID={userID} device={device} onCancel={onClose} onMade={setMade} />
      ) : (
        <MadeLink made={made} onDone={onClose} />
      )}
    </Modal>
  );
}

function SetUpForm({
  userID,
  device,
  onCancel,
  onMade,
}: {
  userID: string;
  device: KnownDevice | undefined;
  onCancel: () => void;
  onMade: (made: Schemas["HandOver"]) => void;
}) {
  const { t } = useTranslation();
  const rule = t("users.create.nameRule", { max: profileNameLengthMax });
  const form = useForm<{ profileName: string; deviceType: DeviceType }>({
    initialValues: { profileName: device?.name ?? "", deviceType: device?.deviceType ?? "Other" },
    validate: { profileName: (name) => (ProfileName.safeParse(name.trim()).success ? null : rule) },
  });
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields: { profileName: { label: t("profiles.columns.name"), rule } },
    draft: { name: `set-up link of ${userID} ${device?.name ?? ""}` },
    async send({ profileName, deviceType }, { key, signal }) {
      const params = { path: { userID }, header: { "Idempotency-Key": key } };
      const body = { profileName: profileName.trim(), deviceType };
      onMade(await dataOf(api.POST("/api/user/{userID}/hand-overs", { params, body, signal })));
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {summary}
        <Text size="sm">{t("setUpLink.what")}</Text>
        <TextInput
          label={t("profiles.columns.name")}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps("profileName")}
        />
        <Select
          label={t("profiles.columns.deviceType")}
          description={t("setUpLink.deviceTypeHint")}
          data={useDeviceTypeChoices()}
          allowDeselect={false}
          {...form.getInputProps("deviceType")}
        />
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
            {t("setUpLink.submit")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function MadeLink({
  made: { code, page, link, expiresAt },
  onDone,
}: {
  made: Schemas["HandOver"];
  onDone: () => void;
}) {
  const { t, i18n } = useTranslation();
  return (
    <Stack>
      <Stack gap={4} role="status">
        <Text>{t("setUpLink.readOut", { page: page.replace(/^https:\/\//, "") })}</Text>
        <Text ff="monospace" fz={36} fw={700} ta="center" translate="no" style={{ whiteSpace: "nowrap" }}>
          {code}
        </Text>
        <Text size="sm">{t("setUpLink.until", { time: formatTime(new Date(expiresAt), i18n.language) })}</Text>
      </Stack>
      <Stack gap={4}>
        <Text size="sm">{t("setUpLink.orLink")}</Text>
        <CopyBox text={link} label={t("setUpLink.link")} />
      </Stack>
      <Text size="sm" c="dimmed">
        {t("setUpLink.care")}
      </Text>
      <Button w="fit-content" ml="auto" data-autofocus onClick={onDone}>
        {t("setUpLink.done")}
      </Button>
    </Stack>
  );
}
