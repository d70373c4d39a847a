import "@mantine/notifications/styles.css";
import { Button, Group, Text } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck } from "../icons.tsx";
import i18next from "i18next";
import type { Undo } from "./undo.ts";

export default function Notices() {
  return <Notifications position="bottom-right" limit={4} />;
}

/** Shows text that can break anywhere and is never cut, because it may contain a long address. */
const Words = ({ children }: { children: string }) => (
  <Text span display="block" flex="1 1 10rem" size="sm" style={{ overflowWrap: "anywhere" }}>
    {children}
  </Text>
);

const closing = () => ({ closeButtonProps: { "aria-label": i18next.t("confirm.close") } });

export function showDone(message: string, undo: Undo | undefined): void {
  const id = notifications.show({
    color: "teal",
    icon: <IconCheck size={18} aria-hidden />,
    autoClose: undo === undefined ? 5_000 : 12_000,
    ...closing(),
    message:
      undo === undefined ? (
        <Words>{message}</Words>
      ) : (
        // The button does not shrink: without room next to the text, it moves below the text.
        <Group justify="flex-end" gap="xs">
          <Words>{message}</Words>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
              void undo.act();
            }}
          >
            {undo.label}
          </Button>
        </Group>
      ),
  });
}

export function showFailed(message: string): void {
  notifications.show({
    color: "red",
    icon: <IconAlertTriangle size={18} aria-hidden />,
    autoClose: false,
    ...closing(),
    message: <Words>{message}</Words>,
    role: "alert",
  });
}
