import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { isLeaving } from "../../api/sign-in.ts";
import { useReturnFocus } from "./use-return-focus.ts";

/**
 * Asks before the user leaves a page with unsaved input; when the tab closes, the browser asks. Signing in again leads
 * back to the page, and nobody asks.
 */
export function LeaveGuard({ when, text, onLeave }: { when: boolean; text: string; onLeave?: () => void }) {
  const { t } = useTranslation();
  const { status, proceed, reset } = useBlocker({
    // A change of the page's own search parameters does not leave it.
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when && !isLeaving(),
    withResolver: true,
  });
  useReturnFocus(status === "blocked");
  if (status !== "blocked") return null;
  return (
    <Modal opened onClose={reset} title={t("forms.leaveTitle")} closeButtonProps={{ "aria-label": t("confirm.close") }}>
      <Stack>
        <Text size="sm">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={reset}>
            {t("forms.stay")}
          </Button>
          <Button
            color="red"
            onClick={() => {
              onLeave?.();
              proceed();
            }}
          >
            {t("forms.leave")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
