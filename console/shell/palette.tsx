import { lazy, Suspense, useEffect, useState } from "react";
import { loadPart } from "../ui/load-file.ts";
import { useReturnFocus } from "../ui/dialog/use-return-focus.ts";
import { changePalette, closePalette, usePalette, type OpenPalette } from "../ui/palette-state.ts";

/** Long enough for the page itself to load first. */
const fetchedAfterMs = 1_000;

const load = () => loadPart(() => import("./palette-dialog.tsx"));
const PaletteDialog = lazy(load);

/** Shows the palette. Loads its file before the first use, because users type immediately. */
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

/** Passes letters and pasted text to the palette before its field exists, because users type immediately. */
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

/** Returns a function that adds the pasted text as a single-line field would; undefined if there is no text. */
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
      // Without a text, Enter does nothing until the list is shown.
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
