import { lazy, Suspense, useEffect, useState } from "react";
import { loadPart } from "../ui/load-file.ts";
import { useReturnFocus } from "../ui/dialog/use-return-focus.ts";
import { changePalette, closePalette, usePalette, type OpenPalette } from "../ui/palette-state.ts";

/** After the page itself has loaded. */
const fetchedAfterMs = 1_000;

const load = () => loadPart(() => import("./palette-dialog.tsx"));
const PaletteDialog = lazy(load);

/** Shows the palette. Its file is loaded before the first use, because users type without waiting. */
export function Palette() {
  useEffect(() => {
    const timer = setTimeout(() => {
      if (navigator.onLine) void load();
    }, fetchedAfterMs);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  const palette = usePalette();
  const [last, setLast] = useState(palette);
  const isOpen = palette !== undefined;
  useReturnFocus(isOpen);
  useEarlyInput(palette);
  if (palette !== undefined && palette !== last) setLast(palette);
  if (last === undefined) return null;
  return (
    <Suspense>
      <PaletteDialog {...last} opened={isOpen} />
    </Suspense>
  );
}

/** Passes on letters and pasted text that arrive before the palette's field exists, because users type immediately. */
function useEarlyInput(palette: OpenPalette | undefined): void {
  useEffect(() => {
    if (palette === undefined) return undefined;
    const onInput = (event: KeyboardEvent | ClipboardEvent) => {
      if (event.target instanceof Element && event.target.closest("[role=dialog]") !== null) return;
      const act = event instanceof ClipboardEvent ? pasted(event, palette.text) : actionOf(event, palette.text);
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    const events = ["keydown", "paste"] as const;
    for (const name of events) document.addEventListener(name, onInput, { capture: true });
    return () => {
      for (const name of events) document.removeEventListener(name, onInput, { capture: true });
    };
  }, [palette]);
}

/** Pastes as a single-line field would. */
function pasted({ clipboardData }: ClipboardEvent, text: string): (() => void) | undefined {
  const added = clipboardData?.getData("text/plain").replace(/[\r\n]+/g, "") ?? "";
  if (added === "") return undefined;
  return () => {
    changePalette({ text: text + added });
  };
}

function actionOf(event: KeyboardEvent, text: string): (() => void) | undefined {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph");
  switch (event.key) {
    case "Enter":
      // Enter without a text has no meaning before the list is shown.
      return () => {
        if (text.trim() !== "") changePalette({ entered: { inNewTab: isCommand } });
      };
    case "Escape":
      return closePalette;
    case "Backspace":
      return () => {
        changePalette({ text: Array.from(text).slice(0, -1).join("") });
      };
    default:
      if (isCommand || Array.from(event.key).length !== 1) return undefined;
      return () => {
        changePalette({ text: text + event.key });
      };
  }
}
