import { logoPartsMax } from "../../../domain/limits.ts";

/** An element of a picture. */
export interface Part {
  tag: string;
  id: string | undefined;
  classes: readonly string[];
  /** The references in the element's attributes. */
  references: readonly Reference[];
  children: Part[];
}

interface Reference {
  id: string;
  /** Whether all elements within the element inherit the reference, as they inherit a fill. */
  isInherited: boolean;
}

const addressed = /url\s*\(\s*["']?#([^"')\s]*)/gi;
const drawnOnce: ReadonlySet<string> = new Set(["clip-path", "mask", "filter"]);
/** Browsers draw only the colours of a gradient, so references to gradients do not count. */
const gradients: ReadonlySet<string> = new Set(["linearGradient", "radialGradient"]);
const depthMax = 256;
/** After this many elements and references, the picture counts as repeating too often. */
const visitedMax = 200_000;

const referencesOf = (property: string, value: string): Reference[] =>
  [...value.matchAll(addressed)].map(([, id = ""]) => ({ id, isInherited: !drawnOnce.has(property) }));

/** Returns the references in an attribute. */
export function referencesIn(attributeName: string, value: string): Reference[] {
  if (/(?:^|:)(?:href|src)$/i.test(attributeName) && value.startsWith("#")) {
    return [{ id: value.slice(1), isInherited: false }];
  }
  return attributeName === "style" ? referencesOfBlock(value) : referencesOf(attributeName, value);
}

const referencesOfBlock = (declarations: string): Reference[] =>
  declarations.split(";").flatMap((declaration) => {
    const [property = "", ...value] = declaration.split(":");
    return referencesOf(property.trim().toLowerCase(), value.join(":"));
  });

/**
 * Returns true if the elements of a picture, the root first, refer to each other in a circle, or so often that a
 * browser has more than `logoPartsMax` elements to draw. May count too many elements, never too few.
 */
export function repeatsTooOften(parts: readonly Part[], styleSheets: readonly string[]): boolean {
  const [root] = parts;
  // If several elements have the same id, the first one counts.
  const byId = new Map(parts.toReversed().map((part) => [part.id, part] as const));
  const ofSelectors = referencesOfSelectors(styleSheets.join("\n"));
  const known = new Map<Part, number>();
  let visited = 0;

  const shownBy = (part: Part, depth: number): number => {
    const found = known.get(part);
    if (found !== undefined) return found;
    // Infinite until the part is counted: a reference that leads back to this part is a circle.
    known.set(part, Infinity);
    const selectors = ["*", part.tag, ...part.classes.map((name) => `.${name}`), `#${part.id}`];
    const sources = [part.references, ...selectors.flatMap((selector) => [...(ofSelectors.get(selector) ?? [])])];
    visited += 1 + sources.reduce((sum, { length }) => sum + length, 0);
    if (depth > depthMax || visited > visitedMax) return Infinity;
    const sumOf = (shown: readonly Part[]): number => shown.reduce((sum, one) => sum + shownBy(one, depth + 1), 1);
    const targets = (isInherited: boolean): Part[] =>
      sources
        .flat()
        .filter((reference) => reference.isInherited === isInherited)
        .flatMap(({ id }) => byId.get(id) ?? [])
        .filter(({ tag }) => !gradients.has(tag));
    const count = sumOf([...part.children, ...targets(false)]) * sumOf(targets(true));
    known.set(part, count);
    return count;
  };
  return root !== undefined && shownBy(root, 0) > logoPartsMax;
}

/**
 * Returns the references in the blocks of style sheets, by the last part of their selectors; `*` can be any element.
 * Each block is one list.
 */
function referencesOfSelectors(css: string): ReadonlyMap<string, ReadonlySet<readonly Reference[]>> {
  const found = new Map<string, Set<readonly Reference[]>>();
  const add = (key: string, references: readonly Reference[]): void => {
    const lists = found.get(key) ?? new Set();
    found.set(key, lists.add(references));
  };
  const [first = "", ...commented] = css.split("/*");
  const plain = [first, ...commented.map((part) => (part.includes("*/") ? part.slice(part.indexOf("*/") + 2) : ""))];
  for (const chunk of plain.join(" ").split("}")) {
    const opened = chunk.split("{");
    const references = opened.length > 1 ? referencesOfBlock(opened.pop() ?? "") : [];
    const selectors = opened.at(-1)?.split(";").at(-1) ?? "";
    for (const selector of references.length === 0 ? [] : selectors.split(",")) {
      const [key = "*"] = /(?<=^|[\s>+~])[\w-]+$|[.#][\w-]+$/.exec(selector.trim()) ?? [];
      add(key, references);
    }
    // References in nested rules apply to every element, because this function does not read the selectors of nested
    // rules.
    const others = referencesOf("", opened.join("{"));
    if (others.length > 0) add("*", others);
  }
  return found;
}
