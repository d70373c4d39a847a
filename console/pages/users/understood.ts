/** What somebody means by what they write into the search box. */
export type Understood =
  | { kind: "nothing" }
  | { kind: "id"; text: string }
  | { kind: "email"; text: string }
  /** Digits of a serial number; such an ID part is possible as well. */
  | { kind: "serial"; digits: string };

const digitsMin = 8;
/** Octets in hexadecimal, as devices show a whole serial number. */
const octets = /^(?:[0-9a-f]{2}[:\s-]){7,19}[0-9a-f]{2}$/i;

export function understand(written: string): Understood {
  const text = written.trim();
  if (text === "") return { kind: "nothing" };
  if (text.includes("@")) return { kind: "email", text };
  const digits = text.replace(/[\s.…]/g, "");
  if (digits.length >= digitsMin && /^\d+$/.test(digits)) return { kind: "serial", digits };
  if (octets.test(text)) return { kind: "serial", digits: BigInt(`0x${text.replace(/[^0-9a-f]/gi, "")}`).toString() };
  return { kind: "id", text };
}
