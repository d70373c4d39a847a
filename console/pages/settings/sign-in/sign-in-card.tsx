import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../session/may.ts";
import { AnchorLink } from "../../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { SettingCard } from "../setting-card.tsx";
import { SignInFacts } from "./sign-in-facts.tsx";
import { useSignIn } from "./sign-in.ts";

/** Shows the realm's sign-in through the identity provider; without a provider, a link to the page that sets one up. */
export function SignInCard() {
  const { t } = useTranslation();
  const may = useMay();
  const { data, error, refetch } = useSignIn();
  if (data === undefined) return error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <SettingCard id="signIn" title={t("settings.signIn.title")} note={t("settings.signIn.note")}>
      {!data.changeable ? (
        <SignInFacts signIn={data} />
      ) : may("setSignIn") ? (
        <AnchorLink to="/settings/sign-in" size="sm" underline="always">
          {t(data.draft === null ? "settings.signIn.setUp" : "settings.signIn.goOn")}
        </AnchorLink>
      ) : (
        <Text size="sm">{t("settings.signIn.unset")}</Text>
      )}
    </SettingCard>
  );
}
