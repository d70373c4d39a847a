import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { useTranslation } from "react-i18next";
import { isLeaving } from "../../api/sign-in.ts";
import { useReturnFocus } from "./use-return-focus.ts";

/** The guards with unsaved input. The first guard with a text asks for all guards with that text. */
const asking = new Map<string, string>();

/**
 * Asks before the user leaves a page with unsaved input, once for all forms of the page. When the tab closes, the
 * browser asks. Signing in again returns to the page, so nothing asks.
 */
export function LeaveGuard({ when, text }: { when: boolean; text: string }) {
  const { t } = useTranslation();
  const id = useId();
  useEffect(() => {
    if (!when) return undefined;
    asking.set(id, text);
    return () => {
      asking.delete(id);
    };
  }, [when, id, text]);
  const isFirst = () => [...asking].find(([, other]) => other === text)?.[0] === id;
  const { status, proceed, reset } = useBlocker({
    // A change of only the page's search parameters does not leave the page.
    shouldBlockFn: ({ current, next }) => isFirst() && current.pathname !== next.pathname,
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
          <Button color="red" onClick={proceed}>
            {t("forms.leave")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
