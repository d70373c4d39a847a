import type { PairwiseAttribute } from "../../../domain/people/directory.ts";
import { sql } from "../../../db/sql.ts";
import type { ApiAnswer, Caller, TestApi } from "../service/api.ts";

/** A directory connected to a realm. */
export interface GivenDirectory {
  realmId: string;
  clientId: string;
  /** Sends requests below `/scim/v2`. */
  scim: Caller;
  /** Makes a person; returns their id. */
  person: (attributes?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Sends a PATCH with these operations. */
  patch: (id: string, ...operations: readonly unknown[]) => Promise<ApiAnswer>;
  deactivate: (id: string) => Promise<ApiAnswer>;
}

let drawn = 0;

/** Connects a directory to a realm, a new one by default. */
export async function givenDirectory(
  { given, as, database }: Pick<TestApi, "given" | "as" | "database">,
  { realmId, pairwise }: { realmId?: string; pairwise?: PairwiseAttribute } = {},
): Promise<GivenDirectory> {
  const realm = realmId ?? (await given.realm());
  if (pairwise !== undefined) {
    await database.owner.query(sql`update realms set scim_pairwise = ${pairwise} where id = ${realm}`);
  }
  const { clientId } = await given.application({ realmId: realm, scopes: ["scim"] });
  const caller = as.token(await given.token({ realmId: realm, clientId }, { scopes: ["scim"] }));
  const send: Caller["send"] = (method, path, options) => caller.send(method, `/scim/v2${path}`, options);
  const scim: Caller = {
    send,
    get: (path, options) => send("GET", path, options),
    post: (path, body, options) => send("POST", path, { ...options, body }),
    put: (path, body, options) => send("PUT", path, { ...options, body }),
    delete: (path, body, options) => send("DELETE", path, { ...options, body }),
  };
  const patch: GivenDirectory["patch"] = (id, ...operations) =>
    send("PATCH", `/Users/${id}`, {
      body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: operations },
    });
  return {
    realmId: realm,
    clientId,
    scim,
    async person(attributes = {}) {
      const name = `person-${++drawn}`;
      const { status, text, body } = await scim.post("/Users", { userName: name, externalId: name, ...attributes });
      if (status !== 201) throw new Error(`${status}: ${text}`);
      return String(body.id);
    },
    patch,
    deactivate: (id) => patch(id, { op: "replace", path: "active", value: false }),
  };
}

/** Lists the audit entries about a person, oldest first. */
export async function entriesAbout(
  { database }: Pick<TestApi, "database">,
  userId: string,
): Promise<{ event: string; clientId: string | null; properties: Record<string, unknown> }[]> {
  return database.owner.query(sql`
    select event, client_id as "clientId", properties
      from audit_entries
     where properties ->> 'userID' = ${userId}
     order by at, id
  `);
}
