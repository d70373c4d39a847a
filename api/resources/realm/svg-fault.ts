import type { LogoFault } from "../../../domain/realm-logo.ts";
import { pngFault } from "./png-fault.ts";
import { referencesIn, repeatsTooOften, type Part } from "./svg-repetition.ts";

const svg = "http://www.w3.org/2000/svg";

/** Namespaces of the data that editors store with a picture. Browsers ignore their elements. */
const inert: ReadonlySet<string> = new Set([
  "http://www.inkscape.org/namespaces/inkscape",
  "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
  "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  "http://creativecommons.org/ns#",
  "http://web.resource.org/cc/",
  "http://purl.org/dc/elements/1.1/",
  "http://www.serif.com/",
  "http://www.bohemiancoding.com/sketch/ns",
]);

/** The elements of a still picture. */
const elements: ReadonlySet<string> = new Set(
  (
    "svg g defs symbol use title desc metadata switch view style " +
    "path rect circle ellipse line polyline polygon text tspan textPath image " +
    "linearGradient radialGradient stop pattern clipPath mask marker filter " +
    "feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR " +
    "feGaussianBlur feMerge feMergeNode feOffset"
  ).split(" "),
);
const scripts: ReadonlySet<string> = new Set(["script", "handler", "listener"]);

const depthMax = 256;

/** The functions allowed in styles: none of them loads anything, and `url` may only name a part of the file. */
const functions: ReadonlySet<string> = new Set(
  (
    "url rgb rgba hsl hsla calc matrix translate translateX translateY scale scaleX scaleY rotate skewX skewY " +
    "not is where nth-child nth-of-type"
  ).split(" "),
);
/** Attributes whose values are words for people or programs. */
const isWord = /^(?:id|class|lang|role|data-.+|aria-.+)$/;

const declaration =
  /^<\?xml\s+version=["']1\.0["'](?:\s+encoding=["']utf-?8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>/i;
/** The document types that editors write; browsers load nothing for them. */
const documentType =
  /<!DOCTYPE\s+svg\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG 1\.[01][^"]*"\s+"https?:\/\/www\.w3\.org\/[\w./-]*"\s*>/y;
const name = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
const value = `"[^"<]*"|'[^'<]*'`;
const openTag = new RegExp(`<(${name})((?:\\s+${name}\\s*=\\s*(?:${value}))*)\\s*(/?)>`, "y");
const closeTag = new RegExp(`</(${name})\\s*>`, "y");
const attribute = new RegExp(`(${name})\\s*=\\s*(${value})`, "g");

interface Open {
  tag: string;
  part: Part;
  /** Namespaces by their prefixes; the default namespace has the empty prefix. */
  namespaces: ReadonlyMap<string, string>;
  /**
   * The pieces of a `style` element's text. They are joined before the check, because comments do not separate them.
   */
  styles: string[] | undefined;
}

class Refused extends Error {
  readonly fault: LogoFault;

  constructor(fault: LogoFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Returns the fault of an SVG file (XML 1.0, SVG 2); undefined if there is none, and the picture runs nothing and loads
 * nothing. Accepts only what is known to be harmless: a small part of XML, the elements of a still picture, references
 * into the file itself, embedded PNG pictures (docs/adr/0020).
 */
export function svgFault(bytes: Uint8Array): LogoFault | undefined {
  try {
    checkDocument(decoded(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.fault;
    throw error;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("malformed");
  }
}

function checkDocument(text: string): void {
  // eslint-disable-next-line no-control-regex -- XML has no such characters
  if (/[\0-\x08\v\f\x0e-\x1f]/.test(text)) throw new Refused("malformed");
  const open: Open[] = [];
  const parts: Part[] = [];
  const styleSheets: string[] = [];
  let at = declaration.exec(text)?.[0].length ?? 0;

  /** Returns the text until a mark, and moves past the mark. */
  const until = (mark: string, from: number): string => {
    const end = text.indexOf(mark, from);
    if (end === -1) throw new Refused("malformed");
    at = end + mark.length;
    return text.slice(from, end);
  };
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  const addText = (added: string): void => {
    const [current] = open.slice(-1);
    if (current === undefined && added.trim() !== "") throw new Refused("malformed");
    current?.styles?.push(added);
  };
  const close = (): void => {
    const styles = open.pop()?.styles?.join("");
    if (styles === undefined) return;
    checkStyleSheet(styles);
    styleSheets.push(styles);
  };

  while (at < text.length) {
    if (text[at] !== "<") {
      const end = text.indexOf("<", at);
      const written = text.slice(at, end === -1 ? undefined : end);
      at += written.length;
      addText(resolved(written));
    } else if (text.startsWith("<!--", at)) {
      until("--", at + 4);
      if (text[at++] !== ">") throw new Refused("malformed");
    } else if (text.startsWith("<![CDATA[", at)) {
      addText(until("]]>", at + 9));
    } else if (text.startsWith("<?", at)) {
      throw new Refused(/^<\?xml-stylesheet/i.test(text.slice(at, at + 16)) ? "reference" : "malformed");
    } else if (text.startsWith("<!", at)) {
      if (parts.length > 0 || match(documentType) === undefined) throw new Refused("entity");
    } else if (text.startsWith("</", at)) {
      if (match(closeTag)?.[1] !== open.at(-1)?.tag || open.length === 0) throw new Refused("malformed");
      close();
    } else {
      const [, tag, attributes = "", isEmpty] = match(openTag) ?? [];
      if (tag === undefined || open.length === depthMax) throw new Refused("malformed");
      if (open.length === 0 && parts.length > 0) throw new Refused("malformed");
      const parent = open.at(-1);
      const element = opened(tag, attributes, parent);
      parent?.part.children.push(element.part);
      parts.push(element.part);
      open.push(element);
      if (isEmpty === "/") close();
    }
  }
  if (parts.length === 0 || open.length > 0) throw new Refused("malformed");
  if (repeatsTooOften(parts, styleSheets)) throw new Refused("repetition");
}

/** Checks a start tag, and returns the element that it opens. */
function opened(tag: string, written: string, parent: Open | undefined): Open {
  const attributes = attributesOf(written);
  const namespaces = new Map(parent?.namespaces);
  for (const [attributeName, given] of attributes) {
    if (attributeName === "xmlns") namespaces.set("", given);
    else if (attributeName.startsWith("xmlns:")) namespaces.set(attributeName.slice(6), given);
  }
  const [local = "", prefix = ""] = tag.split(":").reverse();
  const namespace = namespaces.get(prefix);
  const isOfSvg = namespace === svg;
  if (parent === undefined && !(isOfSvg && local === "svg")) throw new Refused("no_picture");
  if (scripts.has(local.toLowerCase())) throw new Refused("script");
  if (!(isOfSvg ? elements.has(local) : namespace !== undefined && inert.has(namespace))) throw new Refused("element");
  for (const [attributeName, given] of attributes) checkAttribute(local, attributeName, given);
  const part: Part = {
    tag: local,
    id: attributes.get("id"),
    classes: attributes.get("class")?.split(/\s+/) ?? [],
    references: [...attributes].flatMap(([attributeName, given]) => referencesIn(attributeName, given)),
    children: [],
  };
  return { tag, part, namespaces, styles: isOfSvg && local === "style" ? [] : undefined };
}

function attributesOf(written: string): Map<string, string> {
  const found = [...written.matchAll(attribute)].map(([, attributeName = "", quoted = ""]) => {
    return [attributeName, resolved(quoted.slice(1, -1))] as const;
  });
  const attributes = new Map(found);
  if (attributes.size < found.length) throw new Refused("malformed");
  return attributes;
}

/** A reference into the file itself, to an id without escapes. */
const inside = /^#[^\s%()"';:,{}<>]+$/;
const embedded = /^data:image\/png;base64,([A-Za-z0-9+/=\s]*)$/;

function checkAttribute(element: string, attributeName: string, given: string): void {
  const [local = "", prefix] = attributeName.split(":").reverse();
  if (attributeName === "xmlns" || prefix === "xmlns") return;
  if (/^on/i.test(local)) throw new Refused("script");
  if (local === "base") throw new Refused("reference");
  if (/^(?:href|src)$/i.test(local)) {
    if (element === "image") checkPicture(given);
    else if (!inside.test(given)) throw new Refused("reference");
  } else if (prefix === undefined && !isWord.test(local)) {
    checkStyles(given);
  }
}

/** Checks an embedded picture in the same way as an uploaded picture. */
function checkPicture(address: string): void {
  const [, base64] = embedded.exec(address) ?? [];
  if (base64 === undefined) throw new Refused("reference");
  const fault = pngFault(Buffer.from(base64, "base64"));
  if (fault !== undefined) throw new Refused(fault);
}

function checkStyleSheet(css: string): void {
  if (/@(?!media\b)/i.test(css)) throw new Refused("style");
  checkStyles(css);
}

/** Checks the content of a style sheet or of an attribute with styles. */
function checkStyles(css: string): void {
  for (const [, target = ""] of css.matchAll(/url\s*\(\s*["']?([^)]*)/gi)) {
    if (!inside.test(target.replace(/["']?\s*$/, ""))) throw new Refused("reference");
  }
  // An escape could hide a function.
  if (css.includes("\\")) throw new Refused("style");
  for (const [, called = ""] of css.matchAll(/(?<![\w-])([\w-]+)\(/g))
    if (!functions.has(called)) throw new Refused("style");
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns a text with its references to characters and to XML's own entities resolved. */
function resolved(written: string): string {
  return written.replace(/&(#x[\da-f]+|#\d+|\w+)?(;?)/gi, (_, reference: string | undefined, end: string) => {
    if (reference === undefined || end === "") throw new Refused("malformed");
    if (!reference.startsWith("#")) {
      const character = Object.hasOwn(entities, reference) ? entities[reference] : undefined;
      if (character === undefined) throw new Refused("entity");
      return character;
    }
    const code = /^#x/i.test(reference) ? parseInt(reference.slice(2), 16) : parseInt(reference.slice(1), 10);
    if (!(code >= 0x20 || code === 9 || code === 10 || code === 13) || code > 0x10ffff) throw new Refused("malformed");
    return String.fromCodePoint(code);
  });
}
