import { beforeAll, describe, expect, test } from "vitest";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { redirectUri } from "../../../support/given/authorization.ts";
import type { GivenApplication } from "../../../support/given/given.ts";

const api = useApi();
const { given } = api;

let application: GivenApplication;
let cookie: string;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  cookie = `realmpass-login=${await given.login(await given.user({ realmId: api.realmId }))}`;
});

/** The hostile values, encoded as on the wire. */
const values: Readonly<Record<string, string>> = {
  NUL: "a%00b",
  "a bad percent escape": "%zz",
  "half a percent escape": "%",
  "bytes that are no UTF-8": "%ff%fe",
  "a lone surrogate": "%ed%a0%80",
  CRLF: "a%0d%0aSet-Cookie:%20evil=1%0d%0a%0d%0a<script>",
  "5 kB": "x".repeat(5_000),
  __proto__: "__proto__",
  constructor: "constructor",
  markup: "%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
  "an address": "https:%2F%2Fevil.example%2F",
  "a right-to-left override": "%E2%80%AEgnp.exe",
  nothing: "",
};

const queries: Readonly<Record<string, readonly string[]>> = {
  "/oauth/authorize": [
    ...["response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "prompt", "max_age", "response_mode"],
    ...["code_challenge", "code_challenge_method", "ui_locales", "login_hint", "request", "request_uri", "lang"],
  ],
  "/oauth/logout": [
    "id_token",
    "id_token_hint",
    "client_id",
    "logout_uri",
    "post_logout_redirect_uri",
    "state",
    "lang",
  ],
  "/login": ["continue", "realm", "again", "lang"],
  "/login/upstream": ["continue", "realm", "again", "lang"],
  "/login/upstream/callback": ["code", "state", "iss", "error", "error_description", "lang"],
};

const forms: Readonly<Record<string, readonly string[]>> = {
  "/oauth/token": [
    ...["grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "refresh_token"],
    ...["guest_token", "scope"],
  ],
  "/oauth/revoke": ["token", "token_type_hint", "client_id", "client_secret"],
  "/oauth/introspect": ["token", "token_type_hint", "client_id", "client_secret"],
  "/oauth/consent": ["authorization", "login", "form_token", "decision"],
  "/login": ["username", "password", "form_token", "continue"],
};

/** Returns requests that are valid apart from the bad value, so the value gets as far as possible. */
const good = (path: string): Record<string, string> => ({
  ...(path === "/oauth/authorize" && {
    response_type: "code",
    client_id: application.clientId,
    redirect_uri: redirectUri,
    prompt: "none",
  }),
  ...(path === "/oauth/token" && { grant_type: "authorization_code", client_id: application.clientId, code: "x" }),
  ...((path === "/oauth/revoke" || path === "/oauth/introspect") && { client_id: application.clientId, token: "x" }),
});

const encode = (path: string, name: string, value: string): string => {
  const rest = Object.entries(good(path)).filter(([other]) => other !== name);
  return [...rest.map(([key, text]) => `${key}=${encodeURIComponent(text)}`), `${name}=${value}`].join("&");
};

interface Seen {
  status: number;
  injected: boolean;
  markup: boolean;
  elsewhere: boolean;
}

const seen = (answer: Awaited<ReturnType<typeof sendRequest>>): Seen => ({
  status: answer.status,
  injected: String(answer.headers["set-cookie"]).includes("evil=1"),
  markup: answer.text.includes("<script"),
  elsewhere: /^https?:\/\/evil\.example/.test(answer.headers.location ?? ""),
});

const harmless = (answers: Seen[]): void => {
  for (const { status, ...rest } of answers) {
    expect(status).toBeLessThan(500);
    expect(rest).toEqual({ injected: false, markup: false, elsewhere: false });
  }
};

describe.each(Object.entries(queries))("GET %s", (path, names) => {
  test.each(Object.entries(values))("with %s in any parameter causes no 5xx and injects nothing", async (_, value) => {
    const answers = [];
    for (const name of names) {
      answers.push(
        seen(await sendRequest(`${api.url}${path}?${encode(path, name, value)}`, "GET", { headers: { cookie } })),
      );
    }
    harmless(answers);
  });

  test("repeated parameters cause no 5xx", async () => {
    const answers = [];
    for (const name of names) {
      const query = `${encode(path, name, "a")}&${name}=b&${name}[x]=c&${name}[]=d`;
      answers.push(seen(await sendRequest(`${api.url}${path}?${query}`, "GET", { headers: { cookie } })));
    }
    harmless(answers);
  });
});

describe.each(Object.entries(forms))("POST %s", (path, names) => {
  const post = async (body: string) =>
    seen(
      await sendRequest(`${api.url}${path}`, "POST", {
        raw: body,
        headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      }),
    );

  test.each(Object.entries(values))("with %s in any field causes no 5xx and injects nothing", async (_, value) => {
    const answers = [];
    for (const name of names) answers.push(await post(encode(path, name, value)));
    harmless(answers);
  });

  test("repeated fields and malformed bodies cause no 5xx", async () => {
    const answers = [];
    for (const name of names) answers.push(await post(`${encode(path, name, "a")}&${name}=b`));
    for (const body of ["{", "=&=&&", "a".repeat(200_000)]) answers.push(await post(body));
    harmless(answers);
  });
});

test.each(["NUL", "CRLF", "5 kB", "markup"])(
  "%s in every cookie that the service reads causes no 5xx",
  async (name) => {
    const value = (values[name] ?? "").replaceAll("%0d%0a", "%0d");
    const names = [
      "login",
      "form",
      "upstream",
      "language",
      "pickup",
      "console",
      "console-sign-in",
      "new-device",
      "device",
    ];
    const bad = names.map((one) => `realmpass-${one}=${value}`).join("; ");
    for (const path of [
      ...["/login", "/oauth/authorize", "/login/upstream/callback?code=x&state=y"],
      ...["/console/callback?code=x&state=y", "/console/session", "/me/devices/new", "/d/x"],
    ]) {
      const answer = await sendRequest(`${api.url}${path}`, "GET", { headers: { cookie: bad } });
      expect(answer.status).toBeLessThan(500);
    }
  },
);
