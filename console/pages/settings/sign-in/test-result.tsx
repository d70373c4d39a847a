import { Alert, Card, Loader, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "../../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { Facts } from "../../../ui/value/facts.tsx";
import { useSignInTest, type SignIn, type SignInReport } from "./sign-in.ts";

/**
 * Shows the report of the user's own test sign-in: the claims that the provider sent and their effect, or why the
 * sign-in failed.
 */
export function TestResult({ testID, signIn }: { testID: string; signIn: SignIn }) {
  const { t } = useTranslation();
  const { data, error } = useSignInTest(testID);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined || data.report === null) {
    return (
      <Card withBorder role="status">
        <Loader size="sm" aria-label={t("shell.loading")} />
        <Text size="sm">{t("settings.signIn.waiting")}</Text>
      </Card>
    );
  }
  const { report, of } = data;
  const { mapping } = of === "draft" ? (signIn.draft ?? signIn) : signIn;
  return (
    <Card withBorder component="section" aria-label={t("settings.signIn.result")} maw={860}>
      <Stack>
        <Title order={2} size="h3">
          {t("settings.signIn.result")}
        </Title>
        <Outcome report={report} hasAdministratorRules={mapping.roles?.["administrator"] !== undefined} />
        {report.person !== null && <Person person={report.person} />}
        {report.claims.length > 0 && (
          <div>
            <Text fw={500} mb="xs">
              {t("settings.signIn.came")}
            </Text>
            <Facts facts={report.claims.map(({ name, values }) => [name, values.join(", ")])} />
          </div>
        )}
      </Stack>
    </Card>
  );
}

function Outcome({ report, hasAdministratorRules }: { report: SignInReport; hasAdministratorRules: boolean }) {
  const { t } = useTranslation();
  const { check, reason, person } = report;
  if (check !== null) {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("settings.signIn.failed")} role="alert">
        <Text size="sm">{t(`settings.signIn.checks.${check}`)}</Text>
        {reason !== null && (
          <Text size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
            {t("settings.signIn.detail")} <code lang="en">{reason}</code>
          </Text>
        )}
      </Alert>
    );
  }
  const losesRole = hasAdministratorRules && person?.roles.includes("administrator") !== true;
  return (
    <>
      <Alert color="green" icon={<IconCheck aria-hidden />} title={t("settings.signIn.passed")} role="status" />
      {losesRole && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("settings.signIn.noAdministrator")}
        </Alert>
      )}
      {person !== null && !person.isOwn && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("settings.signIn.otherAccount")}
        </Alert>
      )}
    </>
  );
}

function Person({ person }: { person: NonNullable<SignInReport["person"]> }) {
  const { t } = useTranslation();
  const none = t("settings.signIn.nothing");
  const names = (roles: typeof person.roles): string => roles.map((role) => t(`roles.names.${role}`)).join(", ");
  return (
    <Facts
      facts={[
        [t("settings.signIn.fields.pairwiseID"), person.pairwiseID],
        [t("settings.signIn.fields.email"), person.email ?? none],
        [t("settings.signIn.fields.displayName"), person.displayName ?? none],
        [t("settings.signIn.permittedBy"), person.permittedBy ?? none],
        [t("settings.signIn.roles"), person.roles.length > 0 ? names(person.roles) : none],
        ...(person.withheldRoles.length > 0
          ? [[t("settings.signIn.withheldRoles"), names(person.withheldRoles)] as const]
          : []),
      ]}
    />
  );
}
