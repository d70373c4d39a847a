import type { Request } from "express";
import type { Deps } from "../contract/deps.ts";
import { languageOfTag, languages, type Language } from "../../domain/words/language.ts";
import { queryOf } from "../http/query-string.ts";
import { readCookie } from "./cookies.ts";

/** The query parameter that selects a page's language; a cookie remembers the selection. */
export const languageParameter = "lang";

interface Asking {
  deps: Pick<Deps, "settings">;
  request: Pick<Request, "headers" | "originalUrl">;
}

/**
 * Returns the language of a page: the one selected now (`?lang=`), else the one selected before (a cookie), else the
 * application's (`ui_locales`, OpenID Connect Core section 3.1.2.1), else the browser's (RFC 9110 section 12.5.4), else
 * the default.
 */
export function languageOf({ deps, request }: Asking): Language {
  return (
    chosenLanguage(request) ??
    languageOfTag(readCookie(deps, request, "language")) ??
    firstKnown((uiLocales(request) ?? "").split(" ")) ??
    firstKnown(preferred(request.headers["accept-language"] ?? "")) ??
    languages[0]
  );
}

/** Returns the language that the address selects. */
export const chosenLanguage = (request: Pick<Request, "originalUrl">): Language | undefined =>
  languageOfTag(parametersOf(request.originalUrl).get(languageParameter));

/** Returns an address without its `lang` parameter, which would override a language that the user selects later. */
export function withoutLanguage(address: string): string {
  const at = address.indexOf("?");
  if (at < 0) return address;
  const kept = queryOf(address)
    .split("&")
    .filter((pair) => !/^lang(?:=|$)/.test(pair));
  return `${address.slice(0, at)}?${kept.join("&")}`;
}

/** Returns the application's languages, from its request or from the request to continue after sign-in. */
function uiLocales({ originalUrl }: Pick<Request, "originalUrl">): string | null {
  const parameters = parametersOf(originalUrl);
  return parameters.get("ui_locales") ?? parametersOf(parameters.get("continue") ?? "").get("ui_locales");
}

/** Parses a query without failing: a page that reports a bad query needs a language too. */
const parametersOf = (address: string): URLSearchParams => new URLSearchParams(queryOf(address));

/** Returns the tags of Accept-Language, the most preferred first. */
const preferred = (header: string): string[] =>
  header
    .slice(0, 500)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
      const quality = parameters.find((text) => text.startsWith("q="))?.slice(2) ?? "1";
      return { tag, quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);

const firstKnown = (tags: readonly string[]): Language | undefined =>
  tags.map(languageOfTag).find((language) => language !== undefined);
