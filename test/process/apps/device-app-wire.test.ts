import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { android } from "../../support/apps/android.ts";
import { install, type App, type Endpoints, type Installation, type Received } from "../../support/apps/app.ts";
import { ios, macos } from "../../support/apps/apple.ts";
import { apps } from "../../support/apps/apps.ts";
import { Refused } from "../../support/apps/eap-config-rules.ts";
import { linux } from "../../support/apps/linux.ts";
import { windows } from "../../support/apps/windows.ts";
import { decisionOn, personAt, type Person } from "../../support/apps/person.ts";
import { formsOf } from "../../support/browser/browser-session.ts";
import { userAgents } from "../../support/browser/user-agents.ts";
import { startTlsNginx, type TlsNginx } from "../../support/counterparts/nginx.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { givenProcess } from "../../support/given/process.ts";
import { givenLocalAccount, type LocalAccount } from "../../support/given/local-account.ts";
import { startTcpProxy } from "../../support/run/tcp-proxy.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";
import type { SeenCheck } from "../../support/service/operator.ts";

/**
 * Sends the requests of each app over https, through nginx as docs/production.md sets it up. A simulated browser signs
 * a person in and allows each app.
 */
describeWithTool(["nginx", "python3", "openssl"], "the geteduroam apps behind nginx", () => {
  const target = { host: "127.0.0.1", port: 0 };
  let nginx: TlsNginx;

  beforeAll(async () => {
    const { port } = await startTcpProxy(target);
    const [there, nobody] = [`127.0.0.1:${port}`, "127.0.0.1:9"];
    nginx = await startTlsNginx({ apis: [there, there], responders: [nobody, nobody] });
  });
  const api = useApi({
    settings: {
      // The address is known once nginx has started.
      get authUrl() {
        return nginx.tlsUrl;
      },
      trustedProxies: "127.0.0.1",
    },
  });
  const owner = () => api.database.owner;

  interface Realm {
    realmId: string;
    name: string;
  }
  let realm: Realm;
  let other: Realm;
  let off: Realm;

  const givenRealm = async ({ onboardingApps = true } = {}): Promise<Realm> => {
    const { realmId } = await givenIssuingRealm(owner(), { maxProfiles: 20 });
    const [row] = await owner().query<{ name: string }>(sql`
      update realms
         set onboarding_apps = ${onboardingApps}, local_sign_in = true, ssids = '{eduroam}',
             radius_cn = 'radius.demo.example'
       where id = ${realmId} returning name
    `);
    return { realmId, name: row?.name ?? "" };
  };

  beforeAll(async () => {
    target.port = Number(new URL(api.url).port);
    [realm, other, off] = [await givenRealm(), await givenRealm(), await givenRealm({ onboardingApps: false })];
    await api.startWorker();
  });

  const person = ({ realmId } = realm): Promise<LocalAccount> =>
    givenLocalAccount(api, { username: `person-${randomBytes(4).toString("hex")}`, realmId });

  const sits = ({ username }: LocalAccount, userAgent: string = userAgents.linux): Person =>
    personAt(nginx.tlsUrl, { username, userAgent, ca: nginx.certificate });
  const installed = (app: App, { browse }: Pick<Person, "browse">): Installation =>
    install(app, { browse, ca: nginx.certificate, now: () => systemClock.now() });

  const hostOf = (): string => nginx.tlsUrl.replace("https://", "");
  /**
   * Returns what a person types: the whole address for the Linux app, and the address without https for the other apps.
   */
  const typedFor = (app: App, { name } = realm): string =>
    `${app === linux ? nginx.tlsUrl : hostOf()}/letswifi/${name}`;

  const certificatesOf = ({ id }: { id: string }) =>
    owner().query<{ deviceType: string; name: string }>(sql`
      select device_type as "deviceType", name from certificates where user_id = ${id} and revoked_at is null
    `);

  /** Sends a request and returns the response, without following redirects. */
  const ask = (path: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Received> =>
    new Promise((resolve, reject) => {
      const sent = httpsRequest(
        `${nginx.tlsUrl}${path}`,
        { method, agent: false, ca: nginx.certificate, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("end", () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
          });
        },
      );
      sent.once("error", reject);
      sent.end(body);
    });
  interface Asking {
    method?: string;
    headers?: Record<string, string>;
    body?: string | undefined;
  }
  const form = (fields: Record<string, string> | [string, string][]) => ({
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const json = ({ body }: Received): Record<string, unknown> =>
    JSON.parse(body.toString("utf8")) as Record<string, unknown>;

  /** Runs the steps of an app up to its token. */
  const tokenOf = async (app: App, account: LocalAccount, place = realm) => {
    const there = installed(app, sits(account));
    const endpoints = await there.discover(typedFor(app, place));
    const redirected = await there.authorize(endpoints);
    return { there, endpoints, redirected, token: await there.redeem(endpoints, redirected) };
  };

  const browsers: Record<string, string> = {
    Linux: userAgents.linux,
    Android: userAgents.android,
    iOS: userAgents.iPhone,
    macOS: userAgents.mac,
    Windows: userAgents.windows,
    "Windows 4.1.3": userAgents.windows,
  };
  const deviceTypes: Record<string, string> = {
    Linux: "Linux",
    Android: "Android",
    iOS: "iOS",
    macOS: "MacOS",
    Windows: "Windows",
    "Windows 4.1.3": "Windows",
  };

  test("for each realm with the apps, doctor requests the realm's address over https as the apps do", async () => {
    const asked = async (env: Record<string, string>): Promise<SeenCheck[]> => {
      const run = promisify(execFile)(process.execPath, ["--import", "tsx", "operator/main.ts", "doctor", "--json"], {
        env: { DATABASE_URL: api.database.url, REALMPASS_AUTH_URL: nginx.tlsUrl, ...env },
      });
      // Doctor exits with 1 if any check fails.
      const { stdout } = (await run.catch((error: unknown) => error)) as { stdout: string };
      const { checks } = JSON.parse(stdout) as { checks: SeenCheck[] };
      return checks.filter(({ name }) => name.startsWith("apps "));
    };
    await givenProcess(owner(), { kind: "api" });
    const names = [realm, other].map(({ name }) => `apps ${name}`).sort();
    const found = (checks: readonly SeenCheck[], status: string, message: string) => {
      expect(checks.map(({ name }) => name).sort()).toEqual(names);
      for (const check of checks) {
        expect(check).toMatchObject({ status, message: expect.stringContaining(message) as string });
      }
    };
    const trusted = { NODE_EXTRA_CA_CERTS: join(nginx.directory, "fullchain.pem") };
    found(await asked(trusted), "ok", "answers as the apps need");
    found(await asked({}), "fail", "self-signed certificate");
    found(await asked({ ...trusted, REALMPASS_AUTH_URL: "https://127.0.0.1:9" }), "fail", "ECONNREFUSED");
  });

  describe("from the typed address to the network", () => {
    test.each(apps.map((app) => [app.name, app] as const))("%s sets up one device", async (name, app) => {
      const account = await person();
      const { network, files, requests } = await installed(app, sits(account, browsers[name])).setUp(typedFor(app));

      expect(network).toMatchObject({ ssids: ["eduroam"], serverNames: ["radius.demo.example"] });
      expect(files.length).toBe(name === "macOS" ? 2 : 1);
      expect(files.every((file) => file.equals(files[0]!))).toBe(true);
      // No request was redirected: there are as many requests as the app itself sends.
      expect(requests.length).toBe((app.discovery === "computes" ? 0 : 1) + 1 + app.fetches.length);
      expect(await certificatesOf(account)).toMatchObject([{ deviceType: deviceTypes[name] }]);
    });

    test("a short address that redirects to the base leads to the network as well", async () => {
      const account = await person();
      const short = createServer((_, response) => {
        response.writeHead(302, { location: `${nginx.tlsUrl}/letswifi/${realm.name}/` }).end();
      });
      await new Promise<void>((listening) => short.listen(0, "127.0.0.1", listening));
      try {
        const { port } = short.address() as { port: number };
        const plain: App = { ...android, address: (typed) => typed };
        const { network } = await installed(plain, sits(account, userAgents.android)).setUp(
          `http://127.0.0.1:${port}/`,
        );
        expect(network.ssids).toEqual(["eduroam"]);
      } finally {
        short.close();
      }
    });

    test.each([
      ["Linux", linux, "access_denied"],
      ["Android", android, "access_denied"],
    ] as const)("%s gets an error if the person denies its request", async (_name, app, reason) => {
      const sitting = sits(await person());
      const there = installed(app, {
        browse: async (url) => (await sitting.decide(await sitting.open(url), "deny")).headers.location ?? "",
      });
      const endpoints = await there.discover(typedFor(app));
      await expect(there.authorize(endpoints)).rejects.toThrow(new Refused(reason));
    });
  });

  describe("the base", () => {
    const v2 = "http://letswifi.app/api#v2";

    test.each(["/", ""])(
      "with the end %j returns this JSON media type without a charset, whatever a program accepts",
      async (end) => {
        for (const accept of ["application/json", "*/*", undefined, "application/json, text/html"]) {
          const answer = await ask(`/letswifi/${realm.name}${end}`, {
            headers: accept === undefined ? {} : { accept },
          });
          expect(answer).toMatchObject({
            status: 200,
            headers: {
              "content-type": "application/json",
              vary: expect.stringMatching(/\bAccept\b/),
              "cache-control": "public, max-age=300",
            },
          });
          expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
          const base = `${nginx.tlsUrl}/letswifi/${realm.name}/`;
          expect(json(answer)).toEqual({
            [v2]: {
              authorization_endpoint: `${base}oauth/authorize/`,
              token_endpoint: `${base}oauth/token/`,
              eapconfig_endpoint: `${base}api/eap-config/`,
              mobileconfig_endpoint: `${base}api/eap-config/?format=mobileconfig`,
            },
          });
        }
      },
    );

    test("returns a page to a browser, and the page shows the address to type", async () => {
      const answer = await ask(`/letswifi/${realm.name}/`, { headers: { accept: "text/html,*/*;q=0.8" } });
      expect(answer.headers["content-type"]).toMatch(/^text\/html/);
      expect(answer.headers.vary).toMatch(/\bAccept\b/);
      expect(answer.body.toString()).toContain(`${hostOf()}/letswifi/${realm.name}`);
      expect(answer.body.toString()).toContain("https://play.google.com/store/apps/details?id=app.eduroam.geteduroam");
    });
  });

  describe("with the apps off or an unknown realm,", () => {
    const paths = ["", "/", "/oauth/authorize", "/oauth/authorize/", "/oauth/token", "/oauth/token/"].concat([
      "/api/eap-config",
      "/api/eap-config/",
      "/api/eap-config/?format=mobileconfig",
    ]);
    /** Returns an answer without the parts that differ between any two requests. */
    const plain = ({ status, headers, body }: Received) => {
      const {
        date: _date,
        "x-request-id": id,
        "content-length": _length,
        "x-rate-limit-remaining": _n,
        ...rest
      } = headers;
      return {
        status,
        headers: rest,
        body: body
          .toString()
          .replaceAll(String(id), "ID")
          .replace(/<time .*?<\/time>/g, "")
          .replace(/\/letswifi[^"'&]*/g, ""),
      };
    };

    test.each(["GET", "POST", "PUT"])(
      "%s gets the same response, byte for byte, as at any unknown address",
      async (method) => {
        for (const accept of ["application/json", "text/html"]) {
          for (const path of paths) {
            const body = method === "GET" ? undefined : "grant_type=authorization_code";
            const headers = {
              accept,
              ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
            };
            const nowhere = plain(await ask(`/letswifi-nowhere${path}`, { method, headers, body }));
            for (const name of [off.name, "no-such-realm", "UPPER", "a.b"]) {
              const is = plain(await ask(`/letswifi/${name}${path}`, { method, headers, body }));
              expect(is, `${method} ${name}${path}`).toEqual(nowhere);
            }
          }
        }
        // Control: with the apps on, the response differs.
        expect(plain(await ask(`/letswifi/${realm.name}/`))).not.toEqual(plain(await ask("/letswifi-nowhere/")));
      },
    );

    test("while the apps are switched off between tap and file, the token gives no access", async () => {
      const place = await givenRealm();
      const account = await person(place);
      const { there, endpoints, token } = await tokenOf(windows, account, place);
      await owner().query(sql`update realms set onboarding_apps = false where id = ${place.realmId}`);
      expect((await there.post(endpoints, token)).status).toBe(404);
      await owner().query(sql`update realms set onboarding_apps = true where id = ${place.realmId}`);
      expect((await there.post(endpoints, token)).status).toBe(200);
    });
  });

  describe("the authorization request", () => {
    const request = (changed: Record<string, string | undefined> = {}): [string, string][] =>
      Object.entries<string | undefined>({
        response_type: "code",
        client_id: "app.geteduroam.sh",
        redirect_uri: "http://127.0.0.1:40000/",
        scope: "eap-metadata",
        state: "a state & more=ö",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
        ...changed,
      }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const path = (pairs: readonly [string, string][], end = "/"): string =>
      `/letswifi/${realm.name}/oauth/authorize${end}?${new URLSearchParams([...pairs]).toString()}`;

    test.each<[string, string]>([
      ["app.eduroam.geteduroam", "app.eduroam.geteduroam:/"],
      ["app.geteduroam.win", "http://[::1]:49152/"],
      ["app.geteduroam.win", "http://127.0.0.1:65534/"],
      ["app.geteduroam.sh", "http://127.0.0.1:1/"],
      ["app.geteduroam.sh", "http://127.0.0.1/"],
      ["app.geteduroam.sh", "http://[::1]:65535/"],
      ["app.govroam.getgovroam", "app.govroam.getgovroam:/"],
      ["app.getgovroam.win", "http://[::1]:50000/"],
    ])("%s may be answered at %s", async (client_id, redirect_uri) => {
      const page = await sits(await person()).open(`${nginx.tlsUrl}${path(request({ client_id, redirect_uri }))}`);
      expect(page.status).toBe(200);
      expect(decisionOn(page) !== undefined).toBe(true);
    });

    test.each<[string, string | undefined]>([
      ["app.eduroam.geteduroam", "app.eduroam.geteduroam://"],
      ["app.eduroam.geteduroam", "app.eduroam.geteduroam:/x"],
      ["app.eduroam.geteduroam", "APP.eduroam.geteduroam:/"],
      ["app.eduroam.geteduroam", "http://127.0.0.1:40000/"],
      ["app.eduroam.geteduroam", "app.govroam.getgovroam:/"],
      ["app.geteduroam.sh", "app.eduroam.geteduroam:/"],
      ["app.geteduroam.sh", "http://localhost:40000/"],
      ["app.geteduroam.sh", "https://127.0.0.1:40000/"],
      ["app.geteduroam.sh", "http://127.0.0.1:40000"],
      ["app.geteduroam.sh", "http://127.0.0.1:40000/x"],
      ["app.geteduroam.sh", "http://127.0.0.1:40000/?a=b"],
      ["app.geteduroam.sh", "http://127.0.0.1:40000/#a"],
      ["app.geteduroam.sh", "http://127.0.0.1:65536/"],
      ["app.geteduroam.sh", "http://127.0.0.1:0/"],
      ["app.geteduroam.sh", "http://127.0.0.1:040000/"],
      ["app.geteduroam.sh", "http://me@127.0.0.1:40000/"],
      ["app.geteduroam.sh", "http://127.0.0.1.evil.example:40000/"],
      ["app.geteduroam.sh", "http://127.0.0.2:40000/"],
      ["app.geteduroam.sh", "http://[::2]:40000/"],
      ["app.geteduroam.sh", "http://127.0.0.1:40000/\n"],
      ["app.geteduroam.sh", ""],
      ["app.geteduroam.sh", undefined],
      ["app.geteduroam.sh2", "http://127.0.0.1:40000/"],
      ["", "http://127.0.0.1:40000/"],
    ])("%j with %j gets an error page, and no redirect", async (client_id, redirect_uri) => {
      // The response_type is wrong as well, and its error must not be sent to the wrong redirect URI either.
      const answer = await ask(path(request({ client_id, redirect_uri, response_type: "token" })), {
        headers: { accept: "text/html" },
      });
      expect(answer.status).toBe(400);
      expect(answer.headers).not.toHaveProperty("location");
      expect(answer.headers["content-type"]).toMatch(/^text\/html/);
    });

    test("a repeated address or app, or a text over 4,096 characters, gets an error page and no redirect", async () => {
      const queries = [
        [...request(), ["redirect_uri", "http://127.0.0.1:40000/"]],
        [...request(), ["client_id", "app.geteduroam.sh"]],
        request({ state: "s".repeat(4_097) }),
        request({ nonce: "n".repeat(4_097) }),
      ] as [string, string][][];
      for (const query of queries) {
        const answer = await ask(path(query), { headers: { accept: "text/html" } });
        expect(answer.status).toBe(400);
        expect(answer.headers).not.toHaveProperty("location");
        expect(answer.headers["content-type"]).toMatch(/^text\/html/);
      }
    });

    test.each<[string, [string, string][], string]>([
      ["another type of response", request({ response_type: "token" }), "unsupported_response_type"],
      ["another scope", request({ scope: "eap-metadata openid" }), "invalid_scope"],
      ["no PKCE", request({ code_challenge: undefined, code_challenge_method: undefined }), "invalid_request"],
      ["the plain method", request({ code_challenge_method: "plain" }), "invalid_request"],
      ["a request object", request({ request: "x" }), "request_not_supported"],
      ["a repeated parameter", [...request(), ["scope", "eap-metadata"]], "invalid_request"],
      ["no page at all", request({ prompt: "none" }), "consent_required"],
    ])("%s goes back to the app as an error, with the request's state unchanged", async (_fault, query, error) => {
      const answer = await ask(path(query), { headers: { accept: "text/html" } });
      expect(answer.status).toBe(303);
      const location = answer.headers.location ?? "";
      expect(location.startsWith("http://127.0.0.1:40000/?")).toBe(true);
      const { searchParams } = new URL(location);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: error === "consent_required" ? expect.stringMatching(/^(consent|login|interaction)_required$/) : error,
        state: "a state & more=ö",
      });
      expect(searchParams.has("code")).toBe(false);
      expect(searchParams.has("iss")).toBe(false);
    });

    test("without a scope gets a code", async () => {
      const sitting = sits(await person());
      const page = await sitting.open(`${nginx.tlsUrl}${path(request({ scope: undefined }))}`);
      const { status, headers } = await sitting.decide(page, "allow");
      expect(status).toBe(303);
      const answered = Object.fromEntries(new URL(headers.location ?? "").searchParams);
      expect(answered).toEqual({ code: expect.stringMatching(/^rpo_/), state: "a state & more=ö" });
    });

    test("may end with a slash or not, and neither form is redirected", async () => {
      for (const end of ["", "/"]) {
        const page = await sits(await person()).open(`${nginx.tlsUrl}${path(request(), end)}`);
        expect(page.status).toBe(200);
        const posted = await ask(
          `/letswifi/${realm.name}/oauth/token${end}`,
          form({ grant_type: "authorization_code" }),
        );
        expect(posted.status).toBe(400);
        const file = await ask(`/letswifi/${realm.name}/api/eap-config${end}`, { method: "POST" });
        expect(file.status).toBe(401);
      }
    });

    test("gives nobody a code without the tap, by a GET or by a form without the page's token", async () => {
      const account = await person();
      const sitting = sits(account);
      const url = `${nginx.tlsUrl}${path(request())}`;
      const page = await sitting.open(url);
      const { action, fields } = decisionOn(page)!;
      for (const forged of [{ ...fields, form_token: "another" }, { authorization: fields["authorization"] ?? "" }]) {
        const answer = await sitting.browser.post(action, { ...forged, decision: "allow" });
        expect(answer.headers.location ?? "").not.toContain("code=");
      }
      const bare = await sitting.browser.get(`${url}&decision=allow`);
      expect(bare.headers.location ?? "").not.toContain("code=");
      expect(await owner().query(sql`select id from app_authorizations where user_id = ${account.id}`)).toEqual([]);
      expect((await sitting.decide(page, "allow")).headers.location).toContain("code=");
    });

    test("makes a person of another realm sign in to this realm first", async () => {
      const stranger = await person(other);
      const sitting = sits(stranger);
      await sitting.open(
        `${nginx.tlsUrl}/letswifi/${other.name}/oauth/authorize/?${new URLSearchParams(request()).toString()}`,
      );
      const page = await sitting.browser.get(`${nginx.tlsUrl}${path(request())}`);
      expect(formsOf(page).some(({ fields }) => "password" in fields)).toBe(true);
      expect(decisionOn(page) !== undefined).toBe(false);
    });
  });

  describe("the token request", () => {
    const redemption = (
      endpoints: Endpoints,
      { code, verifier, redirectUri }: Awaited<ReturnType<Installation["authorize"]>>,
    ) => ({
      path: new URL(endpoints.token_endpoint).pathname,
      fields: {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        client_id: "app.geteduroam.sh",
        code_verifier: verifier,
      } as Record<string, string>,
    });
    const redirected = async (account: LocalAccount, place = realm) => {
      const there = installed(linux, sits(account));
      const endpoints = await there.discover(typedFor(linux, place));
      return { there, endpoints, ...redemption(endpoints, await there.authorize(endpoints)) };
    };

    test("gets a response with exactly three properties, whatever client authentication it contains", async () => {
      const { path, fields } = await redirected(await person());
      const sent = form(fields);
      const basic = `Basic ${Buffer.from("app.geteduroam.sh:secret").toString("base64")}`;
      const answer = await ask(path, { ...sent, headers: { ...sent.headers, authorization: basic } });
      expect(answer.status).toBe(200);
      expect(json(answer)).toEqual({
        access_token: expect.stringMatching(/^rpa_/),
        token_type: "Bearer",
        expires_in: 1800,
      });
      expect(answer.headers["cache-control"]).toContain("no-store");
      expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    });

    test("is invalid_grant if any bound value is wrong, and the right request still works", async () => {
      const account = await person();
      const { path, fields } = await redirected(account);
      const wrong: Record<string, string>[] = [
        { ...fields, redirect_uri: "http://127.0.0.1:1/" },
        { ...fields, code_verifier: "another verifier that is long enough to be one, is it not" },
        { ...fields, client_id: "app.geteduroam.win" },
        { ...fields, code: `${fields["code"] ?? ""}x` },
      ];
      for (const each of wrong) {
        const answer = await ask(path, form(each));
        expect(answer.status).toBe(400);
        expect(json(answer)["error"]).toBe("invalid_grant");
      }
      const elsewhere = await ask(path.replace(realm.name, other.name), form(fields));
      expect(json(elsewhere)["error"]).toBe("invalid_grant");
      expect((await ask(path, form(fields))).status).toBe(200);
    });

    test("other faults get the error codes of RFC 6749", async () => {
      const { path, fields } = await redirected(await person());
      const errorOf = async (each: Record<string, string>) => json(await ask(path, form(each)))["error"];
      expect(await errorOf({ ...fields, client_id: "nobody" })).toBe("invalid_client");
      expect(await errorOf({ ...fields, grant_type: "refresh_token", refresh_token: "x" })).toBe(
        "unsupported_grant_type",
      );
      const { code: _code, ...withoutCode } = fields;
      expect(await errorOf(withoutCode)).toBe("invalid_request");
      const twice = await ask(path, form([...Object.entries(fields), ["code", fields["code"] ?? ""]]));
      expect(json(twice)["error"]).toBe("invalid_request");
    });

    test("a code works once: its second use ends the code's token, and the certificate of a fetched file stays", async () => {
      const account = await person();
      const { there, endpoints, path, fields } = await redirected(account);
      const { access_token: token } = json(await ask(path, form(fields)));
      expect((await there.post(endpoints, String(token))).status).toBe(200);
      expect(json(await ask(path, form(fields)))["error"]).toBe("invalid_grant");
      expect((await there.post(endpoints, String(token))).status).toBe(401);
      expect(await certificatesOf(account)).toHaveLength(1);
    });

    test("a code expires after a minute", async () => {
      const account = await person();
      const { path, fields } = await redirected(account);
      await owner().query(sql`
        update app_authorizations set code_expires_at = code_expires_at - interval '60 seconds' where user_id = ${account.id}
      `);
      expect(json(await ask(path, form(fields)))["error"]).toBe("invalid_grant");
      await owner().query(sql`
        update app_authorizations set code_expires_at = code_expires_at + interval '60 seconds' where user_id = ${account.id}
      `);
      expect((await ask(path, form(fields))).status).toBe(200);
    });
  });

  describe("the file request", () => {
    const filePath = (place = realm, query = "") => `/letswifi/${place.name}/api/eap-config/${query}`;
    const withToken = (token: string, more: Record<string, string> = {}) => ({
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...more },
    });

    test("gets the bare file with exactly this content type, and the same bytes when repeated", async () => {
      const account = await person();
      const { token } = await tokenOf(windows, account);
      const first = await ask(filePath(), withToken(token));
      expect(first).toMatchObject({
        status: 200,
        headers: {
          "content-type": "application/eap-config",
          "content-length": String(first.body.length),
          "cache-control": expect.stringContaining("no-store"),
        },
      });
      const again = await ask(filePath(realm, "?format=eap-config"), withToken(token, { accept: "text/html" }));
      expect(again.body).toEqual(first.body);
      expect(await certificatesOf(account)).toHaveLength(1);
    });

    test.each(["mobileconfig", "apple-mobileconfig"])(
      "with format=%s gets Apple's format, and the other format then conflicts",
      async (format) => {
        const { token } = await tokenOf(macos, await person());
        const file = await ask(filePath(realm, `?format=${format}`), withToken(token));
        expect(file).toMatchObject({ status: 200, headers: { "content-type": "application/x-apple-aspen-config" } });
        const conflict = await ask(filePath(), withToken(token));
        expect(conflict.status).toBe(409);
        expect(json(conflict)).toEqual({
          error: "format_conflict",
          error_description: expect.stringMatching(/^[A-Z].*\.$/),
        });
      },
    );

    test("simultaneous POSTs make one certificate and get the same bytes", async () => {
      const account = await person();
      const { token } = await tokenOf(android, account);
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask(filePath(), withToken(token))));
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body).toEqual(answers[0]?.body);
      }
      expect(await certificatesOf(account)).toHaveLength(1);
      const made = await owner().query(sql`select id from issuances where user_id = ${account.id}`);
      expect(made).toHaveLength(1);
    });

    test("invalid requests get an error of one plain sentence", async () => {
      const { token } = await tokenOf(android, await person());
      const refused = async (asking: Asking, query = "") => {
        const answer = await ask(filePath(realm, query), asking);
        const { error } = json(answer);
        expect(json(answer)["error_description"]).toMatch(/^[A-Z][^\n]*\.$/);
        return {
          status: answer.status,
          error,
          challenge: answer.headers["www-authenticate"],
          allow: answer.headers.allow,
        };
      };
      expect(await refused(withToken(token), "?format=pkcs12")).toMatchObject({
        status: 400,
        error: "invalid_request",
      });
      expect(await refused({ headers: { authorization: `Bearer ${token}` } })).toMatchObject({
        status: 405,
        error: "invalid_request",
        allow: "POST",
      });
      expect(await refused({ ...withToken(token), body: "x".repeat(1_025) })).toMatchObject({ status: 413 });
      const bare = await refused({ method: "POST" });
      expect(bare).toMatchObject({ status: 401, challenge: "Bearer" });
      for (const wrong of [`${token}x`, "rpa_unknown", api.masterKey])
        expect(await refused(withToken(wrong))).toMatchObject({
          status: 401,
          error: "invalid_token",
          challenge: expect.stringMatching(/^Bearer error="invalid_token"/),
        });
      // Control: the token is valid, and none of these requests has used it up.
      expect((await ask(filePath(), withToken(token))).status).toBe(200);
    });

    test("a token expires after half an hour", async () => {
      const account = await person();
      const { token } = await tokenOf(ios, account);
      expect((await ask(filePath(), withToken(token))).status).toBe(200);
      await owner().query(sql`
        update app_authorizations set token_expires_at = token_expires_at - interval '30 minutes' where user_id = ${account.id}
      `);
      expect((await ask(filePath(), withToken(token))).status).toBe(401);
    });

    /** Makes a change between tap and file, requests the file, and requests the file again after undoing the change. */
    const refusedBy = async (
      place: Realm,
      change: (account: LocalAccount) => Promise<unknown>,
      back: (account: LocalAccount) => Promise<unknown>,
    ) => {
      const account = await person(place);
      const { token } = await tokenOf(windows, account, place);
      await change(account);
      const refused = await ask(filePath(place), withToken(token));
      const made = await owner().query(sql`select id from issuances where user_id = ${account.id}`);
      await back(account);
      const { status: then } = await ask(filePath(place), withToken(token));
      const { "retry-after": retryAfter } = refused.headers;
      return { status: refused.status, error: json(refused)["error"], retryAfter, made: made.length, then };
    };

    test("a change between tap and file makes the file request fail, and undoing the change makes it succeed", async () => {
      const place = await givenRealm();
      const lock = (at: Date | null) => (account: LocalAccount) =>
        owner().query(sql`update users set locked_at = ${at} where id = ${account.id}`);
      const refused = { made: 0, then: 200 };
      expect(await refusedBy(place, lock(systemClock.now()), lock(null))).toMatchObject({
        status: 403,
        error: "user_locked",
        ...refused,
      });

      const issuing = (on: boolean) => () =>
        owner().query(sql`update issuers set issuing = ${on} where realm_id = ${place.realmId}`);
      expect(await refusedBy(place, issuing(false), issuing(true))).toMatchObject({
        status: 503,
        error: "no_issuer",
        retryAfter: "2",
        ...refused,
      });

      const limit = (count: number) => (account: LocalAccount) =>
        owner().query(sql`update users set profile_override = ${count} where id = ${account.id}`);
      const atLimit = async (account: LocalAccount) => {
        await api.given.profile(account);
        await limit(1)(account);
      };
      expect(await refusedBy(place, atLimit, limit(5))).toMatchObject({
        status: 409,
        error: "profile_limit_reached",
        ...refused,
      });
    });

    test("a person who is offboarded between tap and file gets no file, not even after a reactivation", async () => {
      const account = await person();
      const { token } = await tokenOf(windows, account);
      const service = api.as.service({ realmId: realm.realmId });
      expect((await service.delete(`/api/user/${account.id}`)).status).toBe(200);
      expect((await ask(filePath(), withToken(token))).status).toBe(401);
      await owner().query(sql`update users set offboarded_at = null, locked_at = null where id = ${account.id}`);
      expect((await ask(filePath(), withToken(token))).status).toBe(401);
      expect(await certificatesOf(account)).toEqual([]);
    });
  });

  test("an app's token opens only the file request: no path of the API, no page and no other realm", async () => {
    const account = await person();
    const { token } = await tokenOf(linux, account);
    const authorization = { authorization: `Bearer ${token}` };
    const document = JSON.parse((await ask("/openapi.json")).body.toString("utf8")) as {
      paths: Record<string, Record<string, { security?: unknown[] }>>;
    };
    let tried = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      const filled = path.replace(/\{[^}]*\}/g, "1");
      for (const [method, operation] of Object.entries(methods)) {
        if (!["get", "post", "put", "delete", "patch"].includes(method)) continue;
        const asking = {
          method: method.toUpperCase(),
          headers: { ...authorization, "content-type": "application/json" },
        };
        const body = method === "get" || method === "delete" ? undefined : "{}";
        const answer = await ask(filled, { ...asking, body });
        const without = await ask(filled, {
          method: asking.method,
          headers: { "content-type": "application/json" },
          body,
        });
        // A path that needs no token responds as without a token; every other path refuses this token.
        if (answer.status !== 401) expect(answer.status, `${method} ${path}`).toBe(without.status);
        if (operation.security !== undefined && operation.security.length > 0 && !path.startsWith("/oauth"))
          expect(answer.status, `${method} ${path}`).toBe(401);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(60);
    for (const path of ["/me", "/console/session", "/oauth/userinfo", "/scim/v2/Users", "/api/radius/revoked"]) {
      const answer = await ask(path, { headers: authorization });
      expect(answer.status === 200, path).toBe(false);
    }
    const place = (name: string) =>
      ask(`/letswifi/${name}/api/eap-config/`, { method: "POST", headers: authorization });
    expect((await place(other.name)).status).toBe(401);
    const introspected = await ask("/oauth/introspect", form({ token }));
    expect(introspected.body.toString()).not.toContain(`"active":true`);
    expect((await place(realm.name)).status).toBe(200);
  });
});
