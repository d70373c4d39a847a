/**
 * Characters that XML 1.0 cannot contain, not even escaped (section 2.2): control characters, lone surrogates, U+FFFE
 * and U+FFFF.
 */
const notInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** Escapes any text for character data or an attribute's value. Characters that XML cannot contain become U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replace(notInXml, "\uFFFD").replace(/[&<>"'\r\n\t]/g, (character) => escapes[character] ?? character);

/** An encoded element. */
export type Xml = string & { readonly xml: unique symbol };

type Attributes = Readonly<Record<string, string>>;

/** Encodes an element that contains text or elements. Names are constants of the code and are not escaped. */
export function element(name: string, attributes: Attributes, content: string | readonly Xml[]): Xml {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)].join(" ");
  const inside = typeof content === "string" ? escapeXml(content) : content.map((each) => `\n${each}`).join("");
  return (inside === "" ? `<${start}/>` : `<${start}>${inside}</${name}>`) as Xml;
}

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
