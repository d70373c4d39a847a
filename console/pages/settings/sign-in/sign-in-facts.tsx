import { Group, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { roles } from "../../../../domain/people/roles.ts";
import { Facts } from "../../../ui/value/facts.tsx";
import { Time } from "../../../ui/value/time.tsx";
import { useMay } from "../../../session/may.ts";
import { LockedSetting } from "../locked-setting.tsx";
import type { SignIn } from "./sign-in.ts";
import { TestButton } from "./test-button.tsx";

/** Shows the current sign-in, and the operator's command that changes it. */
export function SignInFacts({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation();
  const may = useMay();
  const { provider, clientID, mapping, lastSignInAt, operatorCommand } = signIn;
  const none = t("settings.signIn.nothing");
  const rules = (mapping.mayUse ?? []).map(({ claim, value }) => `${claim}=${value}`);
  const given = roles.filter((role) => mapping.roles?.[role] !== undefined);
  return (
    <Stack>
      <Facts
        facts={[
          [t("settings.signIn.fields.issuer"), provider?.issuer ?? none],
          [t("settings.signIn.fields.clientID"), clientID ?? none],
          [t("settings.signIn.lastSignIn"), lastSignInAt === null ? none : <Time key="at" at={lastSignInAt} />],
          [t("settings.signIn.fields.mayUse"), rules.length > 0 ? rules.join(", ") : t("settings.signIn.everybody")],
          [
            t("settings.signIn.roles"),
            given.length > 0 ? given.map((role) => t(`roles.names.${role}`)).join(", ") : none,
          ],
        ]}
      />
      {provider !== null && clientID !== null && may("setSignIn") && (
        <Group>
          <TestButton of="current" />
        </Group>
      )}
      <LockedSetting label={t("settings.signIn.change")} command={operatorCommand}>
        {null}
      </LockedSetting>
    </Stack>
  );
}
