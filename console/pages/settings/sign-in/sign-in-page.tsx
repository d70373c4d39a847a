import { Card, Skeleton, Stack, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../session/may.ts";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { Page } from "../../../ui/page.tsx";
import { LockedSetting } from "../locked-setting.tsx";
import { DraftSteps } from "./draft-steps.tsx";
import { SignInFacts } from "./sign-in-facts.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { useSignIn, type SignIn } from "./sign-in.ts";
import { TestResult } from "./test-result.tsx";

/**
 * Sets up the realm's sign-in through an identity provider, which is possible only once, and shows the results of
 * tests.
 */
export function SignInPage() {
  const { t } = useTranslation();
  const testID = useSearch({ strict: false, select: (search: Record<string, unknown>) => search["test"] });
  const { data, error, refetch } = useSignIn();
  return (
    <Page title={t("settings.signIn.title")} lead={t("settings.signIn.note")}>
      {data !== undefined ? (
        <Stack>
          {typeof testID === "string" && <TestResult key={testID} testID={testID} signIn={data} />}
          <SetUp signIn={data} />
        </Stack>
      ) : error === null ? (
        <Skeleton height={320} radius="md" role="status" aria-label={t("shell.loading")} />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function SetUp({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation();
  const may = useMay();
  const { draft, changeable, operatorCommand } = signIn;
  if (!changeable) {
    return (
      <Card withBorder maw={900}>
        <SignInFacts signIn={signIn} />
      </Card>
    );
  }
  if (!may("setSignIn")) return <Text>{t("settings.signIn.unset")}</Text>;
  return (
    <>
      {draft !== null && (
        <Card withBorder maw={900}>
          <DraftSteps draft={draft} />
        </Card>
      )}
      <Card withBorder maw={900}>
        <SignInForm signIn={signIn} />
      </Card>
      <Card withBorder maw={900}>
        <LockedSetting label={t("settings.signIn.byOperator")} command={operatorCommand}>
          {null}
        </LockedSetting>
      </Card>
    </>
  );
}
