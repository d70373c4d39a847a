import { expect, test } from "vitest";
import { languageOf, withoutLanguage } from "../../../../api/pages/language.ts";

const deps = { settings: { authUrl: "http://localhost" } } as Parameters<typeof languageOf>[0]["deps"];
const asked = (originalUrl: string, headers: Record<string, string> = {}) =>
  languageOf({ deps, request: { originalUrl, headers } });

test.each([
  ["nothing said", "/login", {}, "en"],
  ["chosen now", "/login?lang=de", { cookie: "realmpass-language=en", "accept-language": "en" }, "de"],
  ["chosen before", "/login?ui_locales=en", { cookie: "realmpass-language=de", "accept-language": "en" }, "de"],
  ["asked for by the application", "/oauth/authorize?ui_locales=fr-CA%20de-AT%20en", { "accept-language": "en" }, "de"],
  [
    "asked for by the application signing in leads on to",
    "/login?continue=%2Foauth%2Fauthorize%3Fui_locales%3Dde",
    {},
    "de",
  ],
  ["preferred by the browser", "/login", { "accept-language": "fr;q=0.9, en;q=0.7, de-CH;q=0.8" }, "de"],
  ["not acceptable", "/login", { "accept-language": "de;q=0, en" }, "en"],
  ["only one that we do not speak", "/login?lang=fr", { "accept-language": "fr" }, "en"],
  ["case does not matter", "/login?lang=DE", {}, "de"],
  ["no language at all", "/login?lang=%00&ui_locales=__proto__", { "accept-language": ";;q=x,,*" }, "en"],
  ["bad escapes", "/login?lang=%&continue=%E0%A4%A", { cookie: "realmpass-language=;;" }, "en"],
  ["a very long header", "/login", { "accept-language": "x,".repeat(50_000) }, "en"],
])("%s", (_, url, headers, language) => {
  expect(asked(url, headers as Record<string, string>)).toBe(language);
});

test.each([
  ["/a?lang=de", "/a?"],
  ["/a?x=1&lang=de&y=2&lang=en&lang", "/a?x=1&y=2"],
  ["/a?language=de", "/a?language=de"],
  ["/a", "/a"],
])("%s becomes %s without its language", (address, without) => {
  expect(withoutLanguage(address)).toBe(without);
});
