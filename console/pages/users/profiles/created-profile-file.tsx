import { Button } from "@mantine/core";
import { IconDownload } from "../../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../../list/export-csv.ts";
import { Facts } from "../../../ui/value/facts.tsx";
import { Serial } from "../../../ui/value/serial.tsx";
import { ShownOnce } from "../../../ui/dialog/shown-once.tsx";
import { Time } from "../../../ui/value/time.tsx";
import type { CreatedProfile } from "./create-profile.ts";
import type { OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";
import { profileFile } from "./profile-file.ts";

/** Shows the file of a new profile, only once. */
export function CreatedProfileFile({
  created,
  format,
  onDone,
}: {
  created: CreatedProfile;
  format: OfferedFormat;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const { name, content } = profileFile(created, format);
  return (
    <ShownOnce
      title={t("users.created.title", { name: created.name })}
      warning={t("users.created.warning")}
      storedLabel={t("users.created.stored")}
      doneLabel={t("users.created.close")}
      onDone={onDone}
    >
      <Facts
        facts={[
          [t("profiles.columns.serial"), <Serial key="serial" serial={created.serial} />],
          [t("profiles.columns.expires"), <Time key="expires" at={created.expirationTime} dateOnly />],
          [t("users.created.identity"), created.identity],
          ...(format === "pkcs12" ? [[t("users.created.password"), t("users.created.passwordEmpty")] as const] : []),
        ]}
      />
      <Button
        maw="100%"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => {
          saveFile(content, name);
        }}
      >
        {t("users.created.download", { name })}
      </Button>
    </ShownOnce>
  );
}
