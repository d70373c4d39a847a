import type { Deps } from "../../contract/deps.ts";
import { renderDocsPage } from "./docs-page.tsx";
import { pagePath } from "./docs-path.ts";
import type { FoundSection } from "./find-sections.ts";
import { withValues, type GuideValues } from "./guide-values.ts";

/** How many found sections are shown; further ones are only counted. */
const shownMax = 50;

interface Found {
  values: GuideValues;
  searched: string;
  found: readonly FoundSection[];
}

/** Renders the search page: how many sections were found, and the first of them. */
export function renderFound(deps: Pick<Deps, "db" | "settings">, { values, searched, found }: Found): Buffer {
  const shown = found.slice(0, shownMax);
  return renderDocsPage(deps, {
    slug: "search",
    title: "Search",
    values,
    searched,
    children: (
      <>
        <h1>Search</h1>
        <p role="status">{resultOf(searched, found.length)}</p>
        <ol>
          {shown.map(({ slug, anchor, title, page, excerpt }) => (
            <li class="result">
              <a href={pagePath(deps, slug, `${values.query}#${anchor}`)}>{title}</a>
              {title !== page && <span class="dim">{` · ${page}`}</span>}
              <p>{withValues(deps, values, excerpt)}</p>
            </li>
          ))}
        </ol>
      </>
    ),
  });
}

function resultOf(searched: string, count: number): string {
  if (searched.trim() === "") return "Enter a word, a code or a path of the API.";
  if (count === 0) return `Nothing contains “${searched}”.`;
  if (count > shownMax) return `The first ${shownMax} of ${count} places with “${searched}”`;
  return count === 1 ? `One place with “${searched}”` : `${count} places with “${searched}”`;
}
