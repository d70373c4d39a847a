import { Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RealmDomain } from "../../../domain/realm.ts";
import { newRealm } from "../../../domain/setup.ts";
import { useKeptState } from "../../ui/form/draft.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";

/** The commands that make a realm with a domain of its own, with the domain that the reader types. */
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

/** A domain name has no character with a special meaning in a shell; its first label can be the name of a realm. */
const withDomain = (command: string, domain: string): string =>
  command
    .replaceAll(newRealm.domain, domain)
    .replace(`--name ${newRealm.name}`, `--name ${nameOf(domain)}`)
    .replaceAll(`--realm ${newRealm.name}`, `--realm ${nameOf(domain)}`);

const nameOf = (domain: string): string => domain.split(".", 1)[0] ?? domain;
