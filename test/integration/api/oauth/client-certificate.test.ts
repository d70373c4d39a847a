import { randomBytes } from "node:crypto";
import { Agent } from "node:https";
import type { SecureVersion } from "node:tls";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { clientCertificateGrantType as grantType } from "../../../../api/oauth/grants/client-certificate.ts";
import * as applications from "../../../../db/queries/oauth/applications.ts";
import { sql } from "../../../../db/sql.ts";
import { allScopes } from "../../../../domain/people/scopes.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { useApi, type ApiAnswer } from "../../../support/service/api.ts";
import { postForm } from "../../../support/given/authorization.ts";
import {
  bearer,
  byteSequence,
  derOf,
  deviceSignInOn,
  header,
  newKey,
  selfSigned,
  send,
  trusted,
  withClientCertificates,
  type Device,
  type Sent,
} from "../../../support/given/device-sign-in.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";

const api = useApi(withClientCertificates);
const devices = deviceSignInOn(api);
const { issue } = devices;
const { as, given } = api;
const switchedOff = useApi();

let realm: IssuingRealm;
let user: GivenUser;
let client: GivenApplication;

const asAdmin = () => as.admin({ realmId: realm.realmId });

beforeAll(async () => {
  realm = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 });
  user = await given.user({ realmId: realm.realmId });
  client = await given.application({ realmId: realm.realmId, type: "useragent" });
  await api.startWorker();
});

const formOf = (fields: Record<string, string> = {}) => ({
  grant_type: grantType,
  client_id: client.clientId,
  ...fields,
});

const signIn = (device: Sent["device"], fields?: Record<string, string>): Promise<ApiAnswer> =>
  devices.signIn(client, device, fields);

/** Signs in over plain http, with the certificate in a header as a proxy forwards it. */
const signInBehindProxy = (value: string, { from = trusted, name = header } = {}): Promise<ApiAnswer> =>
  send(`${api.url}/oauth/token`, { form: formOf(), headers: { [name]: value }, from });

const change = (device: Device, what: ReturnType<typeof sql>) =>
  api.database.owner.query(sql`update certificates set ${what} where serial_number = ${device.serial}`);

describe("over the service's own TLS listener", () => {
  test("an authable profile signs its owner in, and the token authorizes API calls as that user", async () => {
    const device = await issue(user);
    const answer = await signIn(device);
    expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      id_token: expect.any(String),
      token_type: "Bearer",
    });

    const own = await send(`${api.tlsUrl}/api/profile/${device.serial}`, {
      headers: bearer(answer.body.access_token),
      device,
    });
    expect(own).toMatchObject({ status: 200, body: { data: { serial: device.serial } } });
    const info = await send(`${api.tlsUrl}/oauth/userinfo`, { headers: bearer(answer.body.access_token), device });
    expect(info).toMatchObject({ status: 200, body: { sub: user.id } });
  });

  test("the audit log names the user and the profile, and marks administrators", async () => {
    const admin = await given.user({ realmId: realm.realmId, administrator: true });
    for (const [owner, event] of [
      [user, "user_login"],
      [admin, "admin_login"],
    ] as const) {
      const device = await issue(owner);
      expect((await signIn(device)).status).toBe(200);
      const entries = await api.database.owner.query(sql`
        select event, user_id as "userId", client_id as "clientId", properties
          from audit_entries
         where properties->>'serial' = ${device.serial}
           and event like '%_login'
      `);
      expect(entries).toEqual([
        {
          event,
          userId: owner.id,
          clientId: client.clientId,
          properties: {
            userID: owner.id,
            method: "certificate",
            serial: device.serial,
            ...(event === "user_login" && { roles: [] }),
          },
        },
      ]);
    }
  });

  test("a locked user can sign in", async () => {
    const locked = await given.user({ realmId: realm.realmId });
    const device = await issue(locked);
    await api.database.owner.query(sql`update users set locked_at = now() where id = ${locked.id}`);
    expect((await signIn(device)).status).toBe(200);
  });

  describe("whatever else is presented, the response is the same invalid_grant", () => {
    const refusals: readonly [string, () => Promise<Sent["device"]>][] = [
      ["no certificate", () => Promise.resolve(undefined)],
      ["a profile that is not authable", () => issue(user, { allowAuth: false })],
      [
        "a revoked profile",
        async () => {
          const device = await issue(user);
          expect((await asAdmin().delete(`/api/profiles/${device.serial}`)).status).toBe(200);
          return device;
        },
      ],
      [
        "an expired profile",
        async () => {
          const device = await issue(user);
          await change(device, sql`not_before = now() - interval '2 days', not_after = now() - interval '1 second'`);
          return device;
        },
      ],
      [
        "a profile whose time has not come",
        async () => {
          const device = await issue(user);
          await change(device, sql`not_before = now() + interval '1 hour'`);
          return device;
        },
      ],
      [
        "an infrastructure profile",
        async () => {
          const device = await issue(user);
          await change(device, sql`kind = 'infrastructure', user_id = null`);
          return device;
        },
      ],
      [
        "a guest profile",
        async () => {
          const device = await issue(user);
          const { id } = await given.guestAccount({ realmId: realm.realmId });
          await change(device, sql`kind = 'guest', user_id = null, guest_account_id = ${id}`);
          return device;
        },
      ],
      [
        "a certificate of another CA with the same serial number and key",
        async () => {
          const device = await issue(user);
          return { key: device.key, certificate: selfSigned(device.key, "-set_serial", device.serial) };
        },
      ],
      [
        "a certificate of another CA",
        () => {
          const { key } = newKey();
          return Promise.resolve({ key, certificate: selfSigned(key) });
        },
      ],
      [
        "the profile of an offboarded user",
        async () => {
          const owner = await given.user({ realmId: realm.realmId });
          const device = await issue(owner);
          await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${owner.id}`);
          return device;
        },
      ],
      [
        "the profile of another realm's user",
        async () => {
          const other = await givenIssuingRealm(api.database.owner);
          return issue(await given.user({ realmId: other.realmId }));
        },
      ],
    ];

    test.each(refusals)("%s", async (_, shown) => {
      const answer = await signIn(await shown());
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 400,
        body: {
          error: "invalid_grant",
          error_description: "The grant is not valid, has ended, or belongs to another client.",
        },
      });
    });
  });

  test.each<SecureVersion>(["TLSv1.2", "TLSv1.3"])(
    "a resumed TLS session also presents the certificate (%s)",
    async (maxVersion) => {
      const device = await issue(user);
      const agent = new Agent({ maxVersion });
      const answers = [];
      for (let index = 0; index < 3; index++) {
        answers.push(await send(`${api.tlsUrl}/oauth/token`, { form: formOf(), device, agent }));
      }
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.some(({ resumed }) => resumed)).toBe(true);
    },
  );

  test("a certificate presented with another private key fails the handshake", async () => {
    const { certificate } = await issue(user);
    const { key } = newKey();
    await expect(signIn({ certificate, key })).rejects.toThrow();
  });

  test("the client is checked as for every other grant", async () => {
    const device = await issue(user);
    const confidential = await given.application({
      realmId: realm.realmId,
      type: "useragent",
      useClientSecret: true,
    });
    const { clientId: client_id, secret: client_secret } = confidential;
    expect(await signIn(device, { client_id })).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect((await signIn(device, { client_id, client_secret })).status).toBe(200);

    const service = await given.application({ realmId: realm.realmId });
    expect(await signIn(device, { client_id: service.clientId, client_secret: service.secret })).toMatchObject({
      status: 400,
      body: { error: "unauthorized_client" },
    });
    await applications.upsertConsole(api.database.owner, {
      realmId: realm.realmId,
      clientUri: api.url,
      redirectUri: `${api.url}/console/callback`,
      scopes: allScopes,
      at: systemClock.now(),
    });
    expect(await signIn(device, { client_id: applications.consoleClientId(realm.realmId) })).toMatchObject({
      status: 400,
      body: { error: "unauthorized_client" },
    });
    const off = await given.application({ realmId: realm.realmId, type: "useragent", active: false });
    expect(await signIn(device, { client_id: off.clientId })).toMatchObject({ status: 401 });
    expect(await signIn(device, { client_id: "nobody" })).toMatchObject({ status: 401 });
  });
});

describe("the token", () => {
  const open = (token: string, sent: Sent = {}, base = api.tlsUrl): Promise<ApiAnswer> =>
    send(`${base}/api/profile`, { ...sent, headers: { ...bearer(token), ...sent.headers } });

  test("ends when its own profile is revoked, but not when another profile is", async () => {
    const [device, other] = [await issue(user), await issue(user)];
    const [token, otherToken] = [await signIn(device), await signIn(other)].map(({ body }) =>
      String(body.access_token),
    );
    expect((await open(token ?? "", { device })).status).toBe(200);

    await asAdmin().delete(`/api/profiles/${device.serial}`);

    expect(await open(token ?? "", { device })).toBeError("unauthenticated");
    expect((await open(otherToken ?? "", { device: other })).status).toBe(200);
  });

  test("is accepted through a proxy that forwards the certificate", async () => {
    const device = await issue(user);
    const token = String((await signIn(device)).body.access_token);
    const sent = { headers: { [header]: byteSequence(derOf(device)) }, from: trusted };
    expect((await open(token, sent, api.url)).status).toBe(200);
  });

  test("of another kind needs no certificate, and also works with a certificate", async () => {
    const token = await given.token({ realmId: user.realmId, clientId: client.clientId, userId: user.id });
    expect((await open(token)).status).toBe(200);
    expect((await open(token, { device: await issue(user) })).status).toBe(200);
  });
});

describe("through a proxy", () => {
  let device: Device;
  beforeAll(async () => {
    device = await issue(user);
  });

  test("a forwarded certificate signs in, as RFC 9440 and as URL-encoded PEM", async () => {
    const der = derOf(device);
    const accepted = [
      byteSequence(der),
      encodeURIComponent(device.certificate),
      encodeURIComponent(device.certificate.trim()),
      // AWS does not encode these characters.
      encodeURIComponent(device.certificate).replaceAll("%2B", "+").replaceAll("%2F", "/").replaceAll("%3D", "="),
    ];
    for (const value of accepted) {
      const answer = await signInBehindProxy(value);
      expect(answer.status).toBe(200);
      expect(decodeJwt(answer.body.access_token).sub).toBe(user.id);
    }
    expect((await signInBehindProxy(byteSequence(der), { name: header.toLowerCase() })).status).toBe(200);
  });

  test("the header is ignored from every other sender, whatever its forwarding headers contain", async () => {
    const value = byteSequence(derOf(device));
    const forwarded = { "X-Forwarded-For": trusted, Forwarded: `for=${trusted}` };
    for (const answer of [
      await signInBehindProxy(value, { from: "127.0.0.1" }),
      await send(`${api.url}/oauth/token`, { form: formOf(), headers: { [header]: value, ...forwarded } }),
      await send(`${api.tlsUrl}/oauth/token`, { form: formOf(), headers: { [header]: value, ...forwarded } }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
  });

  test("the proxy's own client certificate does not sign in", async () => {
    const form = formOf();
    expect(await send(`${api.tlsUrl}/oauth/token`, { form, device, from: trusted })).toMatchObject({ status: 400 });
  });

  test.each<[string, (der: Buffer) => string]>([
    ["nothing", () => ""],
    ["no bytes", () => "::"],
    ["base64 without colons", (der) => der.toString("base64")],
    ["half a byte sequence", (der) => `:${der.toString("base64")}`],
    ["base64url", (der) => `:${der.toString("base64url")}-_:`],
    ["two certificates", (der) => `${byteSequence(der)}, ${byteSequence(der)}`],
    ["a chain in PEM", () => encodeURIComponent(device.certificate + device.certificate)],
    ["one octet too many", (der) => byteSequence(Buffer.concat([der, Buffer.from([0])]))],
    ["one octet too few", (der) => byteSequence(der.subarray(0, -1))],
    ["one bit changed", (der) => byteSequence(Buffer.concat([der.subarray(0, -1), Buffer.from([der.at(-1)! ^ 1])]))],
    ["a broken URL encoding", () => "%E0%A4%A"],
    ["encoded NUL", () => "%00"],
    ["5 kB of anything", () => "A".repeat(5_000)],
    ["random octets", () => byteSequence(randomBytes(500))],
    ["a public key", () => encodeURIComponent("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")],
    ["__proto__", () => "__proto__"],
  ])("%s in the header is refused", async (_, valueOf) => {
    const answer = await signInBehindProxy(valueOf(derOf(device)));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("a repeated header is refused", async () => {
    const value = byteSequence(derOf(device));
    const answer = await send(`${api.url}/oauth/token`, {
      form: formOf(),
      headers: { [header]: [value, value] as unknown as string },
      from: trusted,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

test("if switched off, the grant does not exist, whatever the headers", async () => {
  const { clientId } = await switchedOff.given.application({ realmId: switchedOff.realmId, type: "useragent" });
  const answer = await postForm(
    `${switchedOff.url}/oauth/token`,
    { grant_type: grantType, client_id: clientId },
    { [header]: byteSequence(randomBytes(500)), "Client-Cert": byteSequence(randomBytes(500)) },
  );
  expect(answer).toMatchObject({ status: 400, body: { error: "unsupported_grant_type" } });
  const { body } = await switchedOff.as.nobody().get("/.well-known/openid-configuration");
  expect(body).not.toHaveProperty("tls_client_certificate_bound_access_tokens");
  expect(body).not.toHaveProperty("mtls_endpoint_aliases");
  expect(body.grant_types_supported).not.toContain(grantType);
});
