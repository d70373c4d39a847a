import { create } from "qrcode";

/** The quiet zone around a code, in modules (ISO/IEC 18004 section 5.3.8). */
const margin = 4;

/** Shows a text as a QR code, black on white in every theme because cameras need that. */
export default function QrCode({ text, label, size }: { text: string; label: string; size: number }) {
  const { modules } = create(text, { errorCorrectionLevel: "M" });
  const side = modules.size + 2 * margin;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      width={size}
      height={size}
      shapeRendering="crispEdges"
      style={{ maxWidth: "100%" }}
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={pathOf(modules)} fill="#000" />
    </svg>
  );
}

/** Draws the dark modules as one path of squares. */
function pathOf({ size, data }: { size: number; data: Uint8Array }): string {
  return Array.from(data, (dark, index) =>
    dark === 1 ? `M${(index % size) + margin} ${Math.floor(index / size) + margin}h1v1h-1z` : "",
  ).join("");
}
