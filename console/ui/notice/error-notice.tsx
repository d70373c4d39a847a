import { Alert, Button, Text } from "@mantine/core";
import { IconAlertTriangle } from "../icons.tsx";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/api-client.ts";

/**
 * Shows an error, the request's ID to quote if the service sent the error, and a retry button if `onRetry` is given.
 */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?: (() => void) | undefined }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("errors.title")} role="alert">
      <Text size="sm">{message(error)}</Text>
      {error instanceof ApiError && error.requestId !== undefined && (
        <Text size="sm" mt={4}>
          {t("errors.reference")} <code>{error.requestId}</code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" mt="sm" variant="default" onClick={onRetry}>
          {t("errors.retry")}
        </Button>
      )}
    </Alert>
  );
}

/**
 * Returns a function that describes an error: the console's text for the error's code, otherwise the service's message;
 * a general text for an error that the service did not send.
 */
export function useErrorMessage(): (error: Error) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t("errors.unexpected");
    const key = `errors.codes.${error.code}`;
    return i18n.exists(key) ? t(key) : error.message;
  };
}
