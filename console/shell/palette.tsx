import { lazy, Suspense, useEffect, useState } from "react";
import { loadPart } from "../ui/load-file.ts";
import { useReturnFocus } from "../ui/use-return-focus.ts";
import { usePalette } from "../ui/palette-state.ts";

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
  useReturnFocus(palette !== undefined);
  if (palette !== undefined && palette !== last) setLast(palette);
  if (last === undefined) return null;
  return (
    <Suspense>
      <PaletteDialog {...last} opened={palette !== undefined} />
    </Suspense>
  );
}
