import { Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { LockedSetting } from "./locked-setting.tsx";
import type { FixedSettings, RealmSettings, SettingValues } from "./realm.ts";
import { useSettingFields } from "./setting-fields.ts";

/**
 * Shows the fields for the RADIUS server that devices trust. The user sets them once, before the set-up is finished.
 */
export function TrustFields({
  form,
  settings: { radiusCN, radiusCA },
  fixed: { domain, locked },
}: {
  form: UseFormReturnType<SettingValues>;
  settings: RealmSettings;
  fixed: FixedSettings;
}) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const serverName = radiusServerName({ radiusCn: radiusCN, domain });
  return (
    <>
      {locked["radiusCN"] === undefined ? (
        <TextInput
          label={fields.radiusCN.label}
          description={t("settings.hints.radiusCN", { name: serverName })}
          placeholder={serverName}
          {...form.getInputProps("radiusCN")}
        />
      ) : (
        <LockedSetting label={fields.radiusCN.label} command={locked["radiusCN"]}>
          <code style={{ overflowWrap: "anywhere" }}>{serverName}</code>
        </LockedSetting>
      )}
      {locked["radiusCA"] === undefined ? (
        <Textarea
          label={fields.radiusCA.label}
          description={t("settings.hints.radiusCA")}
          placeholder="-----BEGIN CERTIFICATE-----"
          autosize
          minRows={3}
          maxRows={12}
          styles={{ input: { fontFamily: "monospace" } }}
          {...form.getInputProps("radiusCA")}
        />
      ) : (
        <LockedSetting label={fields.radiusCA.label} command={locked["radiusCA"]}>
          {radiusCA === null ? (
            <Text size="sm">{t("settings.ownCA")}</Text>
          ) : (
            <CopyBox block text={radiusCA} label={fields.radiusCA.label} />
          )}
        </LockedSetting>
      )}
    </>
  );
}
