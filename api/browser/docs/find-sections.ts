import { errorCatalogue } from "../../../domain/errors.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { tagOf } from "../../contract/openapi/openapi.ts";
import { guides, readGuide } from "./guides.ts";
import { sectionsOf } from "./markdown.ts";

/** A part of the documentation that a search can find. */
export interface Section {
  /** Its page, below `/docs`. */
  slug: string;
  /** The page's name in the navigation. */
  page: string;
  anchor: string;
  title: string;
  /** The text as in its source: a guide's placeholders are not filled in yet. */
  text: string;
}

/** Reads all searchable sections: those of the guides, the error codes and the API's operations. */
export async function readSections(endpoints: readonly Endpoint[]): Promise<Section[]> {
  const ofGuides = await Promise.all(
    guides.map(async (guide) =>
      sectionsOf(await readGuide(guide)).map((section) => ({ slug: guide.slug, page: guide.name, ...section })),
    ),
  );
  const ofErrors = Object.entries(errorCatalogue).map(([code, { status, message }]) => ({
    slug: "errors",
    page: "Errors",
    anchor: code,
    title: code,
    text: `${status} ${message}`,
  }));
  const ofReference = endpoints.map((endpoint) => ({
    slug: "reference",
    page: "Reference",
    anchor: `/${tagOf(endpoint)}/${endpoint.operation}`,
    title: `${endpoint.methods.join(", ").toUpperCase()} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`,
    text: `${endpoint.summary}. ${endpoint.description ?? ""} (${endpoint.operation})`.replaceAll("`", ""),
  }));
  return [...ofGuides.flat(), ...ofErrors, ...ofReference];
}

/** Longer search texts are cut to this length. */
export const searchLengthMax = 200;

/** How much of a section's text is shown, and how much of that precedes the found word. */
const excerptLength = 240;
const excerptLead = 60;

/**
 * A section that a search found, with an excerpt of its text: around the first searched word, or the beginning if only
 * the headings contain the words.
 */
export interface FoundSection extends Section {
  excerpt: string;
}

/**
 * Finds the sections that contain every word of a text. Sections with all words in their page name and heading come
 * first.
 */
export function findSections(sections: readonly Section[], searched: string): FoundSection[] {
  const words = searched
    .slice(0, searchLengthMax)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const isIn = (text: string): boolean => {
    const folded = text.toLowerCase();
    return words.every((word) => folded.includes(word));
  };
  const found = sections.filter(({ page, title, text }) => isIn(`${page} ${title} ${text}`));
  const inTitle = ({ page, title }: Section): boolean => isIn(`${page} ${title}`);
  return [...found.filter(inTitle), ...found.filter((section) => !inTitle(section))].map((section) => ({
    ...section,
    excerpt: excerptOf(section.text, words),
  }));
}

/** Returns where an excerpt ends: after its last whole word. */
function endOfWord(text: string, from: number): number {
  const longest = from + excerptLength;
  if (longest >= text.length) return text.length;
  const space = text.lastIndexOf(" ", longest);
  return space > from ? space : longest;
}

function excerptOf(text: string, words: readonly string[]): string {
  const folded = text.toLowerCase();
  const hit = Math.min(...words.map((word) => folded.indexOf(word)).filter((index) => index >= 0), text.length);
  const from = hit > excerptLead && hit < text.length ? text.indexOf(" ", hit - excerptLead) + 1 : 0;
  const end = endOfWord(text, from);
  return `${from > 0 ? "… " : ""}${text.slice(from, end).trim()}${end < text.length ? " …" : ""}`;
}
