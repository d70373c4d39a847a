import { Drawer } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/**
 * Returns the item whose details are open next to a list (`?open=…` in the address), and a function that opens another
 * item.
 */
export function useOpened(): [opened: string | undefined, open: (id: string | undefined) => void] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    search["open"],
    (id) => {
      void navigate({ to: ".", search: { ...search, open: id }, resetScroll: false });
    },
  ];
}

/** Shows an item's details next to a list, at a separate address. */
export function DetailDrawer({ title, children }: { title: string; children: (id: string) => ReactNode }) {
  const { t } = useTranslation();
  const [opened, open] = useOpened();
  return (
    <Drawer
      opened={opened !== undefined}
      onClose={() => {
        open(undefined);
      }}
      position="right"
      size="lg"
      title={title}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {opened !== undefined && children(opened)}
    </Drawer>
  );
}
