import type { Request } from "express";
import type { Deps } from "../../contract/deps.ts";
import { languageOfTag, languages, type Language } from "../../../domain/words/language.ts";
import { queryOf } from "../../http/query-string.ts";
import { readCookie } from "./cookies.ts";

/** The parameter of every page that chooses its language, and is then remembered. */
export const languageParameter = "lang";

interface Asking {
  deps: Pick<Deps, "settings">;
  request: Pick<Request, "headers" | "originalUrl">;
}

/**
 * The language of a page: what was chosen now (`?lang=`), what was chosen before (a cookie), what the application asks
 * for (`ui_locales`, OpenID Connect Core section 3.1.2.1), what the browser prefers (RFC 9110 section 12.5.4).
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

/** The language that the address itself asks for. */
export const chosenLanguage = (request: Pick<Request, "originalUrl">): Language | undefined =>
  languageOfTag(parametersOf(request.originalUrl).get(languageParameter));

/** An address without its choice of language, which would outlast a later one. */
export function withoutLanguage(address: string): string {
  const at = address.indexOf("?");
  if (at < 0) return address;
  const kept = queryOf(address)
    .split("&")
    .filter((pair) => !/^lang(?:=|$)/.test(pair));
  return `${address.slice(0, at)}?${kept.join("&")}`;
}

/** An application's wish, from its request or from the request that signing in leads on to. */
function uiLocales({ originalUrl }: Pick<Request, "originalUrl">): string | null {
  const parameters = parametersOf(originalUrl);
  return parameters.get("ui_locales") ?? parametersOf(parameters.get("continue") ?? "").get("ui_locales");
}

/** Read without fault, because a page that says what is wrong with a query needs a language too. */
const parametersOf = (address: string): URLSearchParams => new URLSearchParams(queryOf(address));

/** Tags of Accept-Language, the most wanted first. */
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
