import { Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RealmDomain } from "../../../domain/realm.ts";
import { newRealm } from "../../../domain/setup.ts";
import { useKeptState } from "../../ui/form/draft.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";

/** Shows the commands that create a realm with a separate domain. The user types the domain. */
export function DomainCommands({ command }: { command: string }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useKeptState("domain", "");
  const domain = RealmDomain.safeParse(typed.trim());
  return (
    <Stack gap="xs">
      <TextInput
        label={t("setup.newDomain")}
        description={t("setup.newDomainHint")}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
        }}
        error={typed !== "" && !domain.success && t("setup.newDomainFault")}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maw={420}
      />
      <CopyBox text={domain.success ? withDomain(command, domain.data) : command} label={t("setup.command")} block />
    </Stack>
  );
}

/**
 * Puts a domain into a command. A domain name contains no character with a special meaning in a shell, and its first
 * label can be the name of a realm.
 */
const withDomain = (command: string, domain: string): string =>
  command
    .replaceAll(newRealm.domain, domain)
    .replace(`--name ${newRealm.name}`, `--name ${nameOf(domain)}`)
    .replaceAll(`--realm ${newRealm.name}`, `--realm ${nameOf(domain)}`);

const nameOf = (domain: string): string => domain.split(".", 1)[0] ?? domain;
