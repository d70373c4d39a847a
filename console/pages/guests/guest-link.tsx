import { Alert, Button, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconEye, IconEyeOff, IconPrinter } from "../../ui/icons.tsx";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useRef } from "react";
import { useTranslation } from "react-i18next";
import { loadPart } from "../../ui/load-file.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { readGuestCode, readGuestLink, sheetOf, type GuestAccount } from "./guest-accounts.ts";

// Loaded only on demand, because the QR code needs a separate library.
const QrCode = lazy(() => loadPart(() => import("./qr-code.tsx")));

/**
 * Shows the account's link and short code. Loads the link and the code only on demand, because the service records each
 * read.
 */
export function GuestLink({ account }: { account: GuestAccount }) {
  const { t } = useTranslation();
  const { id: guestAccountId } = account;
  const heading = useRef<HTMLHeadingElement>(null);
  /** Moves the focus to the heading, because the pressed button disappears. */
  const keepFocus = () => heading.current?.focus({ preventScroll: true });
  const {
    data: shown,
    error,
    isPending,
    mutate,
    reset,
  } = useMutation({
    mutationFn: async () => {
      const [link, short] = await Promise.all([readGuestLink(guestAccountId), readGuestCode(guestAccountId)]);
      return { link, ...short };
    },
    gcTime: 0,
    onSuccess: keepFocus,
  });

  return (
    <Card withBorder component="section" aria-label={t("guests.link")}>
      <Stack>
        <Title order={2} size="h3" ref={heading} tabIndex={-1}>
          {t("guests.link")}
        </Title>
        {shown === undefined ? (
          <>
            <Text size="sm">{t("guests.linkText")}</Text>
            {error !== null && <ErrorNotice error={error} />}
            <Group>
              <Button
                variant="default"
                loading={isPending}
                leftSection={<IconEye size={16} aria-hidden />}
                onClick={() => {
                  mutate();
                }}
              >
                {t("guests.showLink")}
              </Button>
              <Text size="sm" c="dimmed">
                {t("guests.linkAudited")}
              </Text>
            </Group>
          </>
        ) : (
          <>
            <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
              {t("guests.linkWarning")}
            </Alert>
            <Group align="flex-start" gap="xl">
              <Suspense fallback={<Skeleton width={220} height={220} />}>
                <QrCode text={shown.link} label={t("guests.qrCode", { name: account.name })} size={220} />
              </Suspense>
              <Stack flex={1} miw={240}>
                <CopyBox text={shown.link} label={t("guests.link")} block />
                <Text size="sm">{t("guests.codeText", { page: shown.page })}</Text>
                <CopyBox text={shown.code} label={t("guests.code")} block />
                <Group>
                  <Button
                    component="a"
                    href={sheetOf(shown.link)}
                    target="_blank"
                    rel="noopener noreferrer"
                    leftSection={<IconPrinter size={16} aria-hidden />}
                  >
                    {t("guests.print")}
                  </Button>
                  <Button
                    variant="default"
                    leftSection={<IconEyeOff size={16} aria-hidden />}
                    onClick={() => {
                      reset();
                      keepFocus();
                    }}
                  >
                    {t("guests.hideLink")}
                  </Button>
                </Group>
              </Stack>
            </Group>
          </>
        )}
      </Stack>
    </Card>
  );
}
