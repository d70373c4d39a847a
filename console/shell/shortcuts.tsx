import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useMay } from "../session/may.ts";
import { loadPart } from "../ui/load-file.ts";
import { useReturnFocus } from "../ui/dialog/use-return-focus.ts";
import { places } from "./navigation.ts";
import { openPalette } from "../ui/palette-state.ts";

const ShortcutsDialog = lazy(() => loadPart(() => import("./shortcuts-dialog.tsx")));

const goingMs = 1_500;

/**
 * Opens places by letters and the palette by `/`, unless the user types into a field, a dialog or menu has the focus,
 * or the user has switched these keys off. `?` opens the list of shortcuts, and Ctrl or ⌘ with K the palette, even if
 * the keys are switched off.
 */
export function Shortcuts() {
  const navigate = useNavigate();
  const may = useMay();
  const [opened, { open, close }] = useDisclosure();
  const [enabled, setEnabled] = useLocalStorage({ key: "realmpass-shortcuts", defaultValue: true });
  const goingSince = useRef(-goingMs);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // This shortcut also works in fields, because it types no letter.
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!isInDialog(event.target)) openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      if (event.key === "?") {
        open();
        return;
      }
      if (!enabled) return;
      const going = performance.now() - goingSince.current < goingMs;
      goingSince.current = -goingMs;
      const place = going ? places.find(({ key, name }) => key === event.key && may(name)) : undefined;
      if (place !== undefined) {
        void navigate({ to: place.to });
      } else if (event.key === "/") {
        event.preventDefault();
        openPalette();
      } else if (event.key === "g") {
        goingSince.current = performance.now();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
    };
  }, [enabled, may, navigate, open]);

  const [asked, setAsked] = useState(false);
  useReturnFocus(opened);
  if (opened && !asked) setAsked(true);
  return (
    asked && (
      <Suspense>
        <ShortcutsDialog opened={opened} enabled={enabled} onEnable={setEnabled} onClose={close} />
      </Suspense>
    )
  );
}

/** Returns true if an element is in a field, a dialog or a menu, where letters have another meaning. */
const isBusy = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("input, textarea, select, [role=textbox], [role=combobox], [role=dialog], [role=menu]") !== null);

/** Returns true inside an open dialog: the palette and the dialog would cover each other. */
const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("[role=dialog]") !== null;
