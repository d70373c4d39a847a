import { lazy, Suspense, useEffect, useState } from "react";
import { loadPart } from "../ui/load-file.ts";
import { useReturnFocus } from "../ui/use-return-focus.ts";
import { changePalette, closePalette, usePalette, type OpenPalette } from "../ui/palette-state.ts";

/** When the page itself has been loaded. */
const fetchedAfterMs = 1_000;

const load = () => loadPart(() => import("./palette-dialog.tsx"));
const PaletteDialog = lazy(load);

/** Where the palette is shown. It is fetched before it is first opened, as people write on at once. */
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
  useEarlyKeys(palette);
  if (palette !== undefined && palette !== last) setLast(palette);
  if (last === undefined) return null;
  return (
    <Suspense>
      <PaletteDialog {...last} opened={isOpen} />
    </Suspense>
  );
}

/** What is written before the palette's field is there goes into it: people write on at once. */
function useEarlyKeys(palette: OpenPalette | undefined): void {
  useEffect(() => {
    if (palette === undefined) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof Element && event.target.closest("[role=dialog]") !== null) return;
      const act = actionOf(event, palette.text);
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    document.addEventListener("keydown", onKey, { capture: true });
    return () => {
      document.removeEventListener("keydown", onKey, { capture: true });
    };
  }, [palette]);
}

function actionOf(event: KeyboardEvent, text: string): (() => void) | undefined {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph");
  switch (event.key) {
    case "Enter":
      return () => {
        changePalette({ entered: { inNewTab: isCommand } });
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
