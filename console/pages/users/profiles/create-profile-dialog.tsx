import { Modal } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { personName } from "../../../ui/value/person.tsx";
import { useProfilesChanged } from "../../profiles/revocation.ts";
import { CreateProfileForm } from "./create-profile-form.tsx";
import { CreatedProfileFile } from "./created-profile-file.tsx";
import type { CreatedProfile } from "./create-profile.ts";
import type { OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";
import type { User } from "../load-users.ts";

/** Creates a profile for a person, then shows its file once. */
export function CreateProfileDialog({ user, opened, onClose }: { user: User; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const profilesChanged = useProfilesChanged();
  const [result, setResult] = useState<{ created: CreatedProfile; format: OfferedFormat }>();
  const close = () => {
    setResult(undefined);
    onClose();
  };
  const isKept = result === undefined;
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={t("users.create.title", { name: personName(user) })}
      closeOnClickOutside={isKept}
      closeOnEscape={isKept}
      withCloseButton={isKept}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {result === undefined ? (
        <CreateProfileForm
          user={user}
          onCancel={close}
          onCreated={(created, format) => {
            setResult({ created, format });
            void profilesChanged();
          }}
        />
      ) : (
        <CreatedProfileFile {...result} onDone={close} />
      )}
    </Modal>
  );
}
