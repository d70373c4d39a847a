import { beforeAll, describe, expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import { sql } from "../../../../../db/sql.ts";
import type { Scope } from "../../../../../domain/people/scopes.ts";
import { givenJob } from "../../../../support/given/bulk-jobs.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const day = 24 * 60 * 60 * 1000;

const serials = {
  active: "123456789012345678901234567890128812",
  revoked: "987654321098765432109876543210987731",
  guest: "777776543210987654321098765432106666",
  server: "333336543210987654321098765432107777",
};
let realmId: string;
let service: Caller;
let adaId: string;
let guestId: string;
let jobId: string;
let clientId: string;
let stranger: Caller;

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  stranger = as.service();
  await given.user({ realmId, pairwiseId: "other@campus.example", email: "other@mail.example" });
  const ada = await given.user({ realmId, pairwiseId: "a7x9@campus.example", email: "ada.lovelace@mail.example" });
  adaId = ada.id;
  const { owner } = api.database;
  await owner.query(sql`update users set display_name = 'Ada Müller' where id = ${adaId}`);
  const other = await given.user({ realmId, pairwiseId: "without-a-match" });
  await given.profile(other, { name: "unrelated" });

  await given.profile(ada, { serialNumber: serials.active, name: "Analytical Engine" });
  await given.profile(ada, { serialNumber: serials.revoked, name: "Difference Engine" });
  const guest = await given.guestAccount({ realmId, name: "Science Fair" });
  guestId = guest.id;
  await given.profile({ realmId }, { guestAccountId: guestId, serialNumber: serials.guest, name: "Borrowed Tablet" });
  await given.profile(
    { realmId },
    { kind: "infrastructure", serialNumber: serials.server, name: "radius.lab.example" },
  );
  await owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, ${fromNow(-day)}, 4 from certificates where serial_number = ${serials.revoked}
  `);
  const rows = [{ userId: adaId, pairwiseId: "a7x9@campus.example" }];
  jobId = await givenJob(owner, { realmId, kind: "offboarding", state: "ready", rows });
  await owner.query(sql`update jobs set name = 'Leavers of summer' where id = ${jobId}`);
  ({ clientId } = await given.application({ realmId, name: "Timetable" }));

  const entries: [event: "user_lock" | "profile_create" | "profile_revoke", properties: Record<string, string>][] = [
    ["user_lock", { userID: adaId }],
    ["profile_create", { serial: serials.active, user: adaId }],
    ["profile_revoke", { serial: serials.revoked, user: adaId }],
  ];
  for (const [event, properties] of entries) await record(event, properties);
  await record("guest_profile_create", { serial: serials.guest, guestAccount: guestId });
  await record("infrastructure_profile_create", { serial: serials.server });
  await record("client_create", { clientID: clientId });
  await record("job_start", { job: jobId });
  await record("realm_update", {});
});

const record = (event: Parameters<typeof audit.record>[1]["event"], properties: Record<string, string>) =>
  audit.record(api.database.owner, {
    realmId,
    event,
    actor: { userId: null, clientId: null },
    at: fromNow(0),
    properties,
  });

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads an answer as a client does; its assertion is the check
type Row = any;

interface Place {
  path: string;
  filter?: Record<string, string>;
  /** Returns the name that the table below uses for a row. */
  nameOf: (row: Row) => string;
}

const nameOfPerson = ({ pairwiseID }: Row): string => (pairwiseID === "a7x9@campus.example" ? "Ada" : "another");
const nameOfProfile = ({ serial }: Row): string =>
  Object.entries(serials).find(([, value]) => value === serial)?.[0] ?? "another";

const places: Record<string, Place> = {
  people: { path: "/api/user", nameOf: nameOfPerson },
  profiles: { path: "/api/profiles", filter: { state: "all" }, nameOf: nameOfProfile },
  guests: { path: "/api/guest-accounts", nameOf: ({ name }) => name as string },
  infrastructure: { path: "/api/infrastructure-profile", nameOf: ({ name }) => name as string },
  applications: { path: "/api/applications", nameOf: ({ name }) => name as string },
  jobs: { path: "/api/jobs", nameOf: ({ name }) => name as string },
  audit: { path: "/api/audit", nameOf: ({ event }) => event as string },
};

/** Lists in which `search` does the same as the filter `text`. */
const withoutColumn: readonly string[] = ["jobs", "audit"];

async function found(place: string, text: string, { caller = service, by = "text" } = {}) {
  const { path, filter = {}, nameOf } = places[place]!;
  const body = by === "text" ? { filter: { ...filter, text } } : { filter, search: text };
  const { status, body: answer, text: written } = await caller.send("GET", path, { body });
  expect(status, written).toBe(200);
  const names = (answer.data as unknown[]).map(nameOf).sort();
  expect(answer.total).toBe(names.length);
  return names;
}

async function foundByPalette(text: string, caller = service): Promise<string[]> {
  const { body } = await caller.post("/api/search", { q: text });
  return (body.data.groups as { kind: string; items: Row[] }[])
    .flatMap(({ kind, items }) =>
      items.map((item) =>
        kind === "user" ? nameOfPerson(item) : kind === "profile" ? nameOfProfile(item) : item.name,
      ),
    )
    .sort();
}

const hexadecimal = (serial: string): string => BigInt(serial).toString(16).padStart(32, "0");
const spellings: [spelling: string, write: (serial: string) => string][] = [
  ["decimal", (serial) => serial],
  ["in groups", (serial) => serial.replace(/(?<=\d)(?=(?:\d{4})+$)/g, " ")],
  ["hexadecimal", (serial) => hexadecimal(serial)],
  ["in octets", (serial) => (hexadecimal(serial).match(/../g) ?? []).join(":").toUpperCase()],
];

const ofAda = {
  people: ["Ada"],
  profiles: ["active", "revoked"],
  jobs: ["Leavers of summer"],
  audit: ["profile_create", "profile_revoke", "user_lock"],
};
const ofProfile = (name: "active" | "revoked", event: string): Found => ({
  palette: [name],
  people: ["Ada"],
  profiles: [name],
  jobs: ["Leavers of summer"],
  audit: [event],
});
type Found = Partial<Record<string, string[]>>;

/** Every kind of term, and what each place finds by it; a place without an entry finds nothing. */
const terms: [term: string, text: () => string, expected: Found][] = [
  ["a name", () => "ada müller", { palette: ["Ada"], ...ofAda }],
  ["a name without umlauts", () => "MUELLER", { palette: ["Ada"], ...ofAda }],
  ["a part of an address", () => "lovelace@mail", { palette: ["Ada"], ...ofAda }],
  ["a pairwise ID", () => "a7x9@campus.example", { palette: ["Ada"], ...ofAda }],
  ["the device of a person", () => "analytical eng", ofProfile("active", "profile_create")],
  ["a revoked device", () => "Difference", ofProfile("revoked", "profile_revoke")],
  ...(["active", "revoked"] as const).flatMap((name) =>
    spellings.map(([spelling, write]): (typeof terms)[number] => [
      `the ${spelling} serial number of a profile, ${name}`,
      () => write(serials[name]),
      ofProfile(name, name === "active" ? "profile_create" : "profile_revoke"),
    ]),
  ),
  ["the end of a serial number", () => "10987731", ofProfile("revoked", "profile_revoke")],
  [
    "a guest account",
    () => "science fair",
    { palette: ["Science Fair"], guests: ["Science Fair"], audit: ["guest_profile_create"] },
  ],
  [
    "the device of a guest",
    () => "borrowed",
    { palette: ["guest"], guests: ["Science Fair"], audit: ["guest_profile_create"] },
  ],
  ...spellings.map(([spelling, write]): (typeof terms)[number] => [
    `the ${spelling} serial number of a guest`,
    () => write(serials.guest),
    { palette: ["guest"], guests: ["Science Fair"], audit: ["guest_profile_create"] },
  ]),
  ...spellings.map(([spelling, write]): (typeof terms)[number] => [
    `the ${spelling} serial number of a server`,
    () => write(serials.server),
    { palette: ["server"], infrastructure: ["radius.lab.example"], audit: ["infrastructure_profile_create"] },
  ]),
  [
    "a server",
    () => "radius.lab",
    { palette: ["server"], infrastructure: ["radius.lab.example"], audit: ["infrastructure_profile_create"] },
  ],
  [
    "an application",
    () => "timetable",
    { palette: ["Timetable"], applications: ["Timetable"], audit: ["client_create"] },
  ],
  ["a client ID", () => clientId, { palette: ["Timetable"], applications: ["Timetable"], audit: ["client_create"] }],
  ["a job", () => "leavers summer", { jobs: ["Leavers of summer"], audit: ["job_start"] }],
  ["the ID of a job", () => jobId.toUpperCase(), { jobs: ["Leavers of summer"], audit: ["job_start"] }],
  ["nothing", () => "qqqqqqqq", {}],
];

describe.each(terms)("%s", (_, text, expected) => {
  test("is found in every place according to the same rule", async () => {
    for (const place of Object.keys(places)) {
      expect(await found(place, text()), place).toEqual([...(expected[place] ?? [])].sort());
    }
    expect(await foundByPalette(text()), "palette").toEqual(expected["palette"] ?? []);
  });

  test("is found by `search` in the lists whose `search` works like the filter `text`", async () => {
    for (const place of withoutColumn) {
      expect(await found(place, text(), { by: "search" }), place).toEqual([...(expected[place] ?? [])].sort());
    }
  });

  test("finds nothing for a caller of another realm", async () => {
    for (const place of Object.keys(places)) {
      for (const by of ["text", "search"] as const) {
        expect(await found(place, text(), { caller: stranger, by }), place).toEqual([]);
      }
    }
    expect(await foundByPalette(text(), stranger)).toEqual([]);
  });
});

test.each([
  ["people", "lovelace@mail", "the e-mail address"],
  ["people", "analytical engine", "a device"],
  ["profiles", "ada müller", "the owner"],
  ["guests", "borrowed tablet", "a device"],
])("in %s, `search` covers only the list's own column: it does not find “%s” by %s", async (place, text) => {
  expect(await found(place, text, { by: "search" })).toEqual([]);
  // Control: the filter `text` finds the row.
  expect(await found(place, text)).not.toEqual([]);
});

/** A place, the scopes of a caller who may read its rows, a text, and the rows that the caller finds by the text. */
const rights: [place: string, scopes: Scope[], text: () => string, expected: string[]][] = [
  ["people", ["user.read"], () => "ada müller", ["Ada"]],
  ["people", ["user.read"], () => serials.active, []],
  ["people", ["user.read", "profile.read"], () => serials.active, ["Ada"]],
  ["people", ["user.read"], () => "analytical engine", []],
  ["profiles", ["profile.read"], () => serials.active, ["active"]],
  ["profiles", ["profile.read"], () => "ada müller", []],
  ["profiles", ["profile.read"], () => "a7x9@campus", []],
  ["profiles", ["profile.read", "user.read"], () => "ada müller", ["active", "revoked"]],
  ["guests", ["guest.view"], () => "borrowed tablet", ["Science Fair"]],
  ["infrastructure", ["infrastructure.read"], () => "radius.lab", ["radius.lab.example"]],
  ["jobs", ["job.read"], () => "leavers", ["Leavers of summer"]],
  ["jobs", ["job.read"], () => "ada müller", []],
  ["jobs", ["job.read"], () => serials.active, []],
  ["jobs", ["job.read", "user.read"], () => "ada müller", ["Leavers of summer"]],
  ["jobs", ["job.read", "profile.read"], () => serials.active, ["Leavers of summer"]],
  ["audit", ["audit.read"], () => "ada müller", []],
  ["audit", ["audit.read"], () => serials.active, ["profile_create"]],
  ["audit", ["audit.read"], () => serials.active.slice(-10), []],
  ["audit", ["audit.read"], () => "science fair", []],
  ["audit", ["audit.read"], () => "timetable", []],
  ["audit", ["audit.read"], () => "leavers", []],
  ["audit", ["audit.read", "user.read"], () => "ada müller", ["profile_create", "profile_revoke", "user_lock"]],
  ["audit", ["audit.read", "profile.read"], () => serials.active, ["profile_create"]],
  ["audit", ["audit.read", "profile.read"], () => serials.active.slice(-10), ["profile_create"]],
  ["audit", ["audit.read", "profile.read"], () => serials.guest.slice(-10), []],
  ["audit", ["audit.read", "guest.view"], () => serials.guest.slice(-10), ["guest_profile_create"]],
  ["audit", ["audit.read", "infrastructure.read"], () => serials.server.slice(-10), ["infrastructure_profile_create"]],
  ["audit", ["audit.read", "application.read"], () => "timetable", ["client_create"]],
  ["audit", ["audit.read", "job.read"], () => "leavers", ["job_start"]],
];

test.each(rights)(
  "%s with %j: a text finds only what the caller may read with these scopes",
  async (place, scopes, text, expected) => {
    const caller = as.service({ realmId, scopes });
    expect(await found(place, text(), { caller })).toEqual(expected);
    if (withoutColumn.includes(place)) expect(await found(place, text(), { caller, by: "search" })).toEqual(expected);
  },
);

test("totals are counted for the scopes of each caller", async () => {
  const narrow = as.service({ realmId, scopes: ["user.read"] });
  expect(await found("people", serials.active)).toEqual(["Ada"]);
  expect(await found("people", serials.active, { caller: narrow })).toEqual([]);
});

test("a list of profiles contains active profiles by default, and revoked or all profiles on request", async () => {
  const states = async (filter: Record<string, string>) =>
    ((await service.post("/api/profiles", { filter: { ...filter, text: "ada müller" } })).body.data as Row[])
      .map(nameOfProfile)
      .sort();
  expect(await states({})).toEqual(["active"]);
  expect(await states({ state: "active" })).toEqual(["active"]);
  expect(await states({ state: "revoked" })).toEqual(["revoked"]);
  expect(await states({ state: "all" })).toEqual(["active", "revoked"]);
});

test.each([
  ["/api/user/ID/profiles", () => `/api/user/${adaId}/profiles`, "active"],
  ["/api/guest-accounts/ID/profiles", () => `/api/guest-accounts/${guestId}/profiles`, "guest"],
] as const)("%s finds a device by its name and its serial number in any spelling", async (_, path, name) => {
  const texts = [
    name === "guest" ? "borrowed tablet" : "analytical",
    ...spellings.map(([, write]) => write(serials[name])),
  ];
  for (const text of texts) {
    const { data } = (await service.post(path(), { filter: { text } })).body;
    expect((data as Row[]).map(nameOfProfile), text).toEqual([name]);
  }
  expect((await service.post(path(), { search: "no such device" })).body.data).toEqual([]);
});
