import { beforeAll, describe, expect, test } from "vitest";
import type { Access } from "../api/contract/access.ts";
import { endpoints } from "../api/endpoints.ts";
import { sql } from "../db/sql.ts";
import type { Endpoint } from "../api/contract/endpoint.ts";
import type { Role } from "../domain/people/roles.ts";
import { allScopes, impliedScopes, isMachineScope, Scope } from "../domain/people/scopes.ts";
import { useApi, type Caller } from "./support/service/api.ts";
import {
  givenSubject,
  nobodysSubject,
  samplesOf,
  type Sample,
  type SampleSubject,
} from "./support/given/endpoint-samples.ts";
import { fromNow } from "./support/given/given.ts";

/** In their tokens, people of every role have every scope, so only the role decides. */
type Who = "nobody" | "bad token" | Role | "service" | "user" | "guest";

/** Further callers; the endpoint must treat each like the kind of caller given here. */
const others = {
  "an expired token": "bad token",
  "an offboarded user's old token": "bad token",
  "an expired guest account's token": "bad token",
  "a switched-off client's token": "bad token",
  "a locked user": "user",
  "another realm's administrator": "administrator",
} as const satisfies Record<string, Who>;
type Other = keyof typeof others;

type Outcome =
  | "in"
  | "unauthenticated"
  | "forbidden"
  | "user_required"
  | "guest_account_required"
  | "insufficient_scope"
  | "scopes of the role";

const each = (outcome: Outcome): Record<Role, Outcome> => ({
  administrator: outcome,
  help_desk: outcome,
  guest_manager: outcome,
  auditor: outcome,
});

/**
 * The result of authorization for each kind of caller; `in`: authorization admits the caller, whatever the endpoint
 * then returns.
 */
const matrix: Record<Access, Record<Who, Outcome>> = {
  staff: {
    nobody: "unauthenticated",
    "bad token": "unauthenticated",
    ...each("scopes of the role"),
    service: "scopes of the role",
    user: "forbidden",
    guest: "forbidden",
  },
  user: {
    nobody: "unauthenticated",
    "bad token": "unauthenticated",
    ...each("in"),
    service: "user_required",
    user: "in",
    guest: "user_required",
  },
  guest: {
    nobody: "unauthenticated",
    "bad token": "unauthenticated",
    ...each("guest_account_required"),
    service: "guest_account_required",
    user: "guest_account_required",
    guest: "in",
  },
  any: {
    nobody: "unauthenticated",
    "bad token": "unauthenticated",
    ...each("in"),
    service: "in",
    user: "in",
    guest: "in",
  },
  public: { nobody: "in", "bad token": "in", ...each("in"), service: "in", user: "in", guest: "in" },
};

const doorErrors = ["unauthenticated", "forbidden", "user_required", "guest_account_required", "insufficient_scope"];

/** The staff's scopes as the design lists them, so the test notices a change of the product's lists. */
const staffScopes: Record<Exclude<Role, "administrator">, readonly Scope[]> = {
  help_desk: ["user.read", "user.lock", "profile.read", "profile.offer", "profile.delete", "guest.view"],
  guest_manager: ["guest.read", "guest.view", "guest.create", "guest.modify", "guest.delete"],
  auditor: [
    "user.read",
    "profile.read",
    "guest.view",
    "infrastructure.read",
    "application.read",
    "job.read",
    "audit.read",
    "realm.read",
  ],
};

const isIn = <Key extends string>(key: string, record: Record<Key, unknown>): key is Key => Object.hasOwn(record, key);

/** Endpoints that need a further scope for the sample's resource, and the callers who lack that scope. */
const lacking: Readonly<Record<string, readonly Who[]>> = {
  "GET /api/user/:userID": ["guest_manager"],
  "GET /api/user/:userID/export": ["help_desk", "guest_manager"],
  "POST /api/applications/:client_id/tokens": ["service"],
  "POST /api/applications/:client_id/secret": ["service"],
  "POST /api/audit/list-exports": ["guest_manager"],
};

/** Returns the expected result for a caller at an endpoint. */
function outcomeFor(who: Who, { method, endpoint }: Sample): Outcome {
  const { access, path, scope, furtherScopes } = endpoint;
  if (lacking[`${method.toUpperCase()} ${path}`]?.includes(who)) return "insufficient_scope";
  const outcome = matrix[access][who];
  if (outcome !== "scopes of the role") return outcome;
  // People and services with other scopes cannot have a machine's scope.
  if (scope !== undefined && isMachineScope(scope)) return "insufficient_scope";
  const needed = [...(scope === undefined ? [] : [scope]), ...furtherScopes];
  if (who === "service") return needed.includes("role.modify") ? "insufficient_scope" : "in";
  if (!isIn(who, staffScopes)) return "in";
  return needed.every((one) => staffScopes[who].includes(one)) ? "in" : "insufficient_scope";
}

const machineScopes = Scope.options.filter(isMachineScope);

/** Returns the expected result for a service with only this scope. */
function outcomeForMachine(own: Scope, { access, scope }: Endpoint): Exclude<Outcome, "scopes of the role"> {
  if (access === "user") return "user_required";
  if (access === "guest") return "guest_account_required";
  if (access === "public" || scope === own) return "in";
  return scope === undefined ? "forbidden" : "insufficient_scope";
}

const api = useApi({ settings: { waitSeconds: 1 } });
const callers = {} as Record<Who | Other, Caller>;
let subject: SampleSubject;

beforeAll(async () => {
  subject = await givenSubject(api.given, api.realmId);
  const { as, given, realmId } = api;
  const person = await given.user({ realmId });
  const leaver = await given.user({ realmId, administrator: true });
  const leaversToken = await given.token({ realmId, userId: leaver.id });
  await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${leaver.id}`);
  const ended = await given.guestAccount({ realmId, expiresAt: fromNow(-1_000) });
  const off = await given.application({ realmId, active: false });
  Object.assign(callers, {
    nobody: as.nobody(),
    "bad token": as.token("not-a-token"),
    administrator: as.admin(),
    help_desk: as.user(given.user({ realmId, roles: ["help_desk"] })),
    guest_manager: as.user(given.user({ realmId, roles: ["guest_manager"] })),
    auditor: as.user(given.user({ realmId, roles: ["auditor"] })),
    service: as.service(),
    // A user other than the subject, because some endpoints offboard the subject.
    user: as.user(given.user({ realmId })),
    guest: as.guest(),
    "an expired token": as.token(await given.token({ realmId, userId: person.id }, { expiresAt: fromNow(-1_000) })),
    "an offboarded user's old token": as.token(leaversToken),
    "an expired guest account's token": as.token(await given.token({ realmId, guestAccountId: ended.id })),
    "a switched-off client's token": as.token(await given.token({ realmId, clientId: off.clientId })),
    "a locked user": as.user(given.user({ realmId, lockedAt: fromNow(0) })),
    "another realm's administrator": as.admin({ realmId: await given.realm() }),
  } satisfies Record<Who | Other, Caller>);
});

/** The titles of the tests need the samples before a subject exists; the subject gives them their paths later. */
const samples = samplesOf(endpoints, nobodysSubject);
const now = (sample: Sample): Sample =>
  samplesOf([sample.endpoint], subject).find(({ method }) => method === sample.method) ?? sample;

const titled = samples.map((sample) => [`${sample.method.toUpperCase()} ${sample.endpoint.path}`, sample] as const);

const send = (who: Caller, sample: Sample) => {
  const { method, path, body } = now(sample);
  // No worker runs in this file, so requests must not wait for a worker.
  return who.send(method.toUpperCase(), path, { body, headers: { prefer: "respond-async" } });
};

describe.each(titled)("%s", (_, sample) => {
  const everybody = [
    ...(Object.keys(matrix.any) as Who[]).map((who) => [who, outcomeFor(who, sample)] as const),
    ...(Object.entries(others) as [Other, Who][]).map(([who, as]) => [who, outcomeFor(as, sample)] as const),
  ] as [Who | Other, Exclude<Outcome, "scopes of the role">][];

  test.each(everybody)("%s gets the outcome: %s", async (who, expected) => {
    const answer = await send(callers[who], sample);
    if (expected !== "in") {
      expect(answer).toBeError(expected);
      return;
    }
    expect(doorErrors).not.toContain(answer.body?.error);
    expect(answer.status).not.toBe(500);
  });

  test.each(machineScopes)("a service with only the scope %s gets no access beyond that scope", async (own) => {
    const { clientId } = await api.given.application({ realmId: api.realmId, scopes: [own] });
    const token = await api.given.token({ realmId: api.realmId, clientId }, { scopes: [own] });
    const expected = outcomeForMachine(own, sample.endpoint);
    const answer = await send(api.as.token(token), sample);
    if (expected === "in") expect(doorErrors).not.toContain(answer.body?.error);
    else expect(answer).toBeError(expected);
  });

  const { access, scope, path: template } = sample.endpoint;
  if (scope !== undefined) {
    test(`needs the scope ${scope}`, async () => {
      const scopes = allScopes.filter((one) => one !== scope && !impliedScopes[one]?.includes(scope));
      const someone = api.given.user({ realmId: api.realmId, administrator: access !== "user" });
      const who = api.as.user(someone, { scopes });
      const answer = await send(who, sample);
      expect(answer).toBeError("insufficient_scope");
      expect(answer.headers["www-authenticate"]).toBe(
        `Bearer realm="api", error="insufficient_scope", scope="${scope}"`,
      );
    });
  }

  if (
    (access === "staff" || access === "any") &&
    /:(?:userID|serial|client_id|guestAccountId|profileSerial)/.test(template)
  ) {
    test("another realm's resource returns the same bytes as a resource that does not exist", async () => {
      // An earlier request may have deleted the previous subject.
      subject = await givenSubject(api.given, api.realmId);
      const realmId = await api.given.realm();
      const stranger = scope === "role.modify" ? api.as.admin({ realmId }) : api.as.service({ realmId });
      const { method, path, body } = now(sample);
      const answerTo = async (target: string): Promise<string> => {
        const { status, text, headers } = await stranger.send(method.toUpperCase(), target, { body });
        return `${status} ${text.replaceAll(String(headers["x-request-id"]), "…")}`;
      };
      const nowhere = path
        .replace(subject.serial, "999999999999")
        .replace(subject.guestSerial, "999999999999")
        .replace(subject.infrastructureSerial, "999999999999")
        .replace(`/${subject.guestAccountId}`, "/999999999999")
        .replace(`/${subject.user.id}`, "/999999999999")
        .replace(subject.clientId, "999999999999");

      expect(nowhere).not.toBe(path);
      expect(await answerTo(path)).toMatch(/^404 /);
      expect(await answerTo(path)).toBe(await answerTo(nowhere));
    });
  }
});
