import { violates, type Db } from "../../db/client.ts";
import * as directory from "../../db/operations/directory.ts";
import * as scimUsers from "../../db/queries/people/scim-users.ts";
import type { Connection, ScimUser } from "../../db/queries/people/scim-users.ts";
import * as userRoles from "../../db/queries/people/user-roles.ts";
import { UserID } from "../../domain/ids.ts";
import { TooManyValues, type DirectoryRules } from "../../domain/people/directory-attributes.ts";
import type { DirectoryChange, PairwiseAttribute } from "../../domain/people/directory.ts";
import { PairwiseID } from "../../domain/people/pairwise-id.ts";
import { drawBulkJobId } from "../../runtime/draw-ids.ts";
import type { Deps } from "../contract/deps.ts";
import { hasRepresentation } from "../http/etag.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import type { Exchange } from "../http/route.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { NamedAttributes, Reading } from "./attributes.ts";
import type { ListRequest } from "./paging.ts";
import { readPatch } from "./patch.ts";
import { readResource, resourceOf, shownOf, type Shown } from "./resource.ts";
import { mutabilityFault, ScimError, scimType, syntaxFault, uniquenessFault, valueFault } from "./scim-error.ts";

/** A request from a connection. */
export interface ScimCall extends Exchange {
  deps: Deps;
  connection: Connection;
  /** The address of SCIM, without a trailing slash. */
  base: string;
  rules: DirectoryRules;
  named: NamedAttributes;
  shown: Shown;
}

/**
 * Returns one error for all cases: the person is unknown, deleted or forgotten, or belongs to another connection or
 * realm.
 */
const notFound = (): ScimError => new ScimError("There is no such person.", { status: 404 });

export async function getUser(call: ScimCall, id: string): Promise<void> {
  const user = await findUser(call, id);
  const { version } = resourceOf(user, call).meta;
  if (hasRepresentation(call.request.headers["if-none-match"], version.slice("W/".length))) {
    call.response.setHeader("ETag", version);
    call.response.statusCode = 304;
    call.response.end();
    return;
  }
  send(call, 200, user);
}

export async function listUsers(
  { deps, connection, base, named, response }: ScimCall,
  asked: ListRequest,
): Promise<void> {
  const { filter, startIndex, count } = asked;
  const { users, total } = await scimUsers.list(deps.db, {
    ...connection,
    filter,
    offset: startIndex - 1,
    limit: count,
  });
  sendJson(
    response,
    200,
    {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: total,
      startIndex,
      itemsPerPage: users.length,
      Resources: users.map((user) => shownOf(resourceOf(user, { base, named }), asked)),
    },
    scimType,
  );
}

/** How often the service tries a creation while other requests create the same person. */
const creationsMax = 3;

export async function createUser(call: ScimCall, body: unknown): Promise<void> {
  const reading = readResource(body, call.named);
  const made = await doRest(
    call,
    reading,
    (tx, change, pairwise) => directory.create(tx, { ...requestOf(call), person: newPersonOf(change, pairwise) }),
    { triesMax: creationsMax },
  );
  if ("taken" in made) throw uniquenessFault(made.taken);
  report(call, reading, made);
  const user = await findUser(call, made.userId);
  call.response.setHeader("Location", resourceOf(user, call).meta.location);
  send(call, 201, user);
}

export const replaceUser = (call: ScimCall, id: string, body: unknown): Promise<void> =>
  changeUser(call, id, readResource(body, call.named));

export const patchUser = (call: ScimCall, id: string, body: unknown): Promise<void> =>
  changeUser(call, id, readPatch(body, call.named));

async function changeUser(call: ScimCall, id: string, reading: Reading): Promise<void> {
  const userId = userIdOf(id);
  const done = await doRest(call, reading, (tx, change, pairwise) =>
    directory.change(tx, { ...requestOf(call), userId, change, pairwise, check: matchOf(call) }),
  );
  if (done === undefined) throw notFound();
  report(call, reading, done);
  send(call, 200, await findUser(call, userId));
}

/**
 * Applies the change of a request. A leaver must not stay because of a refused name or value, so refused attributes of
 * a leaver are dropped one by one and the rest is applied. For anybody else, throws the refusal. `triesMax`: how often an
 * act is tried that finds its id taken.
 */
async function doRest<Result>(
  call: ScimCall,
  reading: Reading,
  act: (tx: Db, change: DirectoryChange, pairwise: PairwiseAttribute) => Promise<Result>,
  { triesMax = 1 }: { triesMax?: number } = {},
): Promise<Result> {
  let change: DirectoryChange = reading.change;
  for (let tried = 1; ; tried++) {
    let pairwise: PairwiseAttribute = "externalId";
    try {
      return await call.deps.db.transaction(async (tx) => {
        pairwise = await scimUsers.keepPairwise(tx, call.connection.realmId);
        return act(tx, possible({ ...reading, change }, pairwise), pairwise);
      });
    } catch (error) {
      if (tried < triesMax && isIdTaken(error)) continue;
      const refusal = refusalOf(call, pairwise, error);
      const path = refusal instanceof ScimError ? refusal.path : undefined;
      const rest = change.active === false && path !== undefined ? without(change, path) : undefined;
      if (path === undefined || rest === undefined) throw refusal;
      reading.dropped.add(path);
      change = rest;
    }
  }
}

/** Tests whether another person has the id: a person whom another request made meanwhile, or one who was there. */
const isIdTaken = (error: unknown): boolean =>
  violates(error, "users_realm_id_pairwise_id_key") || violates(error, "users_folded_id");

/**
 * Returns the change without the `userName`, the `externalId` or an attribute that the realm names; undefined if the
 * change does not contain it, or for any other attribute.
 */
function without(change: DirectoryChange, path: string): DirectoryChange | undefined {
  if (path === "userName" || path === "externalId") {
    const { [path]: given, ...rest } = change;
    return given === undefined ? undefined : rest;
  }
  const { attributes } = change;
  if (attributes?.has(path) !== true) return undefined;
  return { ...change, attributes: new Map([...attributes].filter(([name]) => name !== path)) };
}

export async function deleteUser(call: ScimCall, id: string): Promise<void> {
  const userId = userIdOf(id);
  const reading = { change: { active: false }, dropped: new Set<string>() };
  try {
    const done = await call.deps.db.transaction((tx) =>
      directory.remove(tx, { ...requestOf(call), userId, check: matchOf(call) }),
    );
    if (done === undefined) throw notFound();
    report(call, reading, done);
  } catch (error) {
    throw refusalOf(call, "externalId", error);
  }
  call.response.statusCode = 204;
  call.response.end();
}

function userIdOf(id: string): UserID {
  const userId = UserID.safeParse(id);
  if (!userId.success) throw notFound();
  return userId.data;
}

async function findUser({ deps: { db }, connection }: ScimCall, id: string): Promise<ScimUser> {
  const user = await scimUsers.find(db, { ...connection, userId: userIdOf(id) });
  if (user === undefined) throw notFound();
  return user;
}

function send({ response, base, named, shown }: ScimCall, status: number, user: ScimUser): void {
  const resource = resourceOf(user, { base, named });
  response.setHeader("ETag", resource.meta.version);
  sendJson(response, status, shownOf(resource, shown), scimType);
}

const requestOf = ({ deps: { clock }, connection, rules, response }: ScimCall) => ({
  ...connection,
  rules,
  at: clock.now(),
  jobId: drawBulkJobId(),
  requestId: contextOf(response).id,
});

/** Returns a check that fails if `If-Match` does not match the current version. Versions are weak ETags. */
const matchOf =
  ({ request, base, named }: ScimCall) =>
  (user: ScimUser): void => {
    const ifMatch = request.headers["if-match"];
    if (ifMatch === undefined) return;
    const { version } = resourceOf(user, { base, named }).meta;
    if (!hasRepresentation(ifMatch, version.slice("W/".length))) throw new ServiceError("precondition_failed");
  };

/**
 * Returns the part of a change that can be applied. Throws if any attribute is refused, unless the person leaves: a
 * leaver must not stay because of a new name.
 */
function possible(
  { change, faults, dropped }: Pick<Reading, "faults" | "dropped"> & { change: DirectoryChange },
  pairwise: PairwiseAttribute,
): DirectoryChange {
  const { [pairwise]: given, ...others } = change;
  const fault =
    given === null
      ? mutabilityFault(pairwise, "is who the person is and cannot be removed")
      : given !== undefined && !PairwiseID.safeParse(given).success
        ? valueFault(pairwise, "must not contain invisible characters")
        : undefined;
  for (const refused of fault === undefined ? faults : [...faults, fault]) {
    if (change.active !== false) throw refused;
    dropped.add(refused.path ?? pairwise);
  }
  return fault === undefined ? change : others;
}

/**
 * Returns the person whom a POST describes. Throws if a required attribute is missing. A leaver whose `userName` is
 * missing or cannot be kept gets their id as the name.
 */
function newPersonOf(change: DirectoryChange, pairwise: PairwiseAttribute): directory.NewPerson {
  const pairwiseId = change[pairwise];
  const userName = change.userName ?? (change.active === false ? pairwiseId : undefined);
  if (userName === undefined || userName === null) throw valueFault("userName", "is required");
  if (pairwiseId === undefined || pairwiseId === null)
    throw valueFault(pairwise, "is required: it is who the person is");
  return { ...change, userName, pairwise, pairwiseId };
}

/** Counts and logs what a committed request did. */
function report(
  call: ScimCall,
  { change, dropped }: Pick<Reading, "change" | "dropped">,
  { leaving, userId }: directory.Done,
): void {
  const { deps, connection, response } = call;
  for (const attribute of dropped) {
    contextOf(response).log().info({ event: "scim.value_dropped", attribute }, "a value of a directory cannot be kept");
  }
  if (change.active !== false || leaving === undefined) return;
  deps.metrics.scimDeactivation(leaving.outcome);
  if (leaving.outcome !== "held" || !leaving.isFirst) return;
  contextOf(response)
    .log()
    .error(
      { event: "scim.held", realmId: connection.realmId, userId, bulkJobId: leaving.jobId },
      "a directory deactivates more people than the realm's share; the rest keep their devices until a person confirms",
    );
}

/**
 * Returns the error that the directory receives: converts the known errors of the database, and returns any other
 * unchanged. Counts and logs the refusal to deactivate the last administrator.
 */
function refusalOf({ deps, response }: ScimCall, pairwise: PairwiseAttribute, error: unknown): unknown {
  if (error instanceof TooManyValues) return valueFault(error.path, "has too many values");
  if (violates(error, "scim_users_user_name")) return uniquenessFault("userName", error);
  if (violates(error, "scim_users_external_id")) return uniquenessFault("externalId", error);
  if (isIdTaken(error)) return uniquenessFault(pairwise, error);
  if (violates(error, "users_pairwise_id_stays")) {
    return mutabilityFault(pairwise, "is who the person is: they have signed in or have had a profile, and it stays");
  }
  if (violates(error, userRoles.keepsAnAdministrator)) {
    deps.metrics.scimDeactivation("refused");
    contextOf(response)
      .log()
      .error({ event: "scim.last_administrator" }, "a directory deactivates the realm's last administrator");
    return new ScimError("This is the realm's last administrator. Make somebody else an administrator first.", {
      status: 409,
      cause: error,
    });
  }
  return error;
}

/** Returns the body of a request. Throws if the body is missing. */
export function required(body: unknown): unknown {
  if (body === undefined) throw syntaxFault("The request has no body.");
  return body;
}
