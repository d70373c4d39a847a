import { create } from "qrcode";

/** The quiet zone that a reader needs around the modules (ISO/IEC 18004). */
const margin = 4;

/** Renders a QR code, dark on light in every theme. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { modules } = create(text, { errorCorrectionLevel: "M" });
  const side = modules.size + 2 * margin;
  const rows = Array.from({ length: modules.size }, (_, row) =>
    Array.from({ length: modules.size }, (__, column) => (modules.get(row, column) === 0 ? " " : "x")).join(""),
  );
  // One bar for each run of dark modules.
  const dark = rows.flatMap((cells, row) =>
    [...cells.matchAll(/x+/g)].map(
      ({ index, 0: { length } }) => `M${index + margin} ${row + margin}h${length}v1h-${length}z`,
    ),
  );
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${side}v${side}h-${side}z`} />
      <path fill="#000" d={dark.join("")} />
    </svg>
  );
}
