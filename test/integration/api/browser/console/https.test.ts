import { expect, test } from "vitest";
import { sendRequest, useApi } from "../../../../support/service/api.ts";

const api = useApi({ settings: { authUrl: "https://login.example/campus" } });

test("with https and a base path, cookies are bound to the host and every address contains the base path", async () => {
  const user = await api.given.user({ realmId: api.realmId, administrator: true });
  let cookie = `__Host-realmpass-login=${await api.given.login(user)}`;
  const visit = async (path: string) => {
    const answer = await sendRequest(`${api.url}${path}`, "GET", { headers: { cookie } });
    for (const line of answer.headers["set-cookie"] ?? []) {
      expect(line).toMatch(
        /^__Host-realmpass-[\w-]+=[\w-]*; Path=\/; HttpOnly; SameSite=Lax; Secure(?:; Max-Age=\d+)?$/,
      );
      cookie += `; ${String(line.split(";")[0])}`;
    }
    return answer.headers.location ?? "";
  };
  const stripped = (location: string): string =>
    location.replace(/^https:\/\/login\.example/, "").replace(/^\/campus/, "");

  const authorize = await visit("/console/sign-in?continue=/console/users");
  expect(authorize).toMatch(
    /^\/campus\/oauth\/authorize\?.*redirect_uri=https%3A%2F%2Flogin\.example%2Fcampus%2Fconsole%2Fcallback/,
  );
  const callback = await visit(stripped(authorize));
  expect(callback).toMatch(/^https:\/\/login\.example\/campus\/console\/callback\?code=/);
  expect(await visit(stripped(callback))).toBe("/campus/console/users");
  expect(cookie).toMatch(/; __Host-realmpass-console=rpw_/);

  const from = (origin: string) => ({ headers: { cookie, "x-realmpass-console": "1", origin } });
  const signOut = `${api.url}/console/sign-out`;
  expect(await sendRequest(signOut, "POST", from("https://evil.example"))).toBeError("forbidden");
  expect((await sendRequest(signOut, "POST", from("https://login.example"))).body).toEqual({
    location: expect.stringMatching(/^\/campus\/login\/ended\?realm=[a-z0-9-]+$/),
  });
});
