import { Constants, Resource } from "@braveulysses/scim2";
import * as Patch from "@braveulysses/scim2/dist/Patch.js";
import { scimPatch, type ScimPatchOperation, type ScimResource } from "scim-patch";
import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { givenDirectory } from "../../support/given/directory.ts";
import { useApi } from "../../support/service/api.ts";

/** Two third-party SCIM libraries make the requests and check the responses. */

const api = useApi();

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/**
 * Returns a function that sends a request body of the library, with SCIM's media type, and parses the response into a
 * resource of the library.
 */
async function givenClient() {
  const { scim } = await givenDirectory(api);
  return async (method: string, path: string, raw?: string) => {
    const { status, text, headers } = await scim.send(method, path, {
      ...(raw !== undefined && { raw }),
      headers: { "content-type": Constants.SCIM_MEDIA_TYPE, accept: Constants.SCIM_MEDIA_TYPE },
    });
    expect(headers["content-type"]).toContain(Constants.SCIM_MEDIA_TYPE);
    return { status, resource: Resource.fromJSON(text) };
  };
}

/**
 * A person with only the attributes that the service keeps: one name, which the service also shows as `name.formatted`,
 * and one address.
 */
const sample = {
  schemas: [userSchema],
  externalId: "4711",
  userName: "mira@example.org",
  displayName: "Mira Holm",
  emails: [{ value: "mira@example.org", type: "work", primary: true }],
};

test("scim2-js makes a person, finds and changes them, and deactivates them", async () => {
  const send = await givenClient();
  const made = await send("POST", "/Users", new Resource(structuredClone(sample)).toJSON());
  expect(made.status).toBe(201);
  expect(made.resource.schemas()).toContain(userSchema);
  expect(made.resource.get('emails[type eq "work"]')).toMatchObject({ value: "mira@example.org" });
  const id = made.resource.id();

  const found = await send("GET", `/Users?filter=${encodeURIComponent('userName eq "mira@example.org"')}`);
  expect(found.resource.schemas()).toEqual([Constants.SCIM_LIST_RESPONSE_URN]);
  expect(found.resource.get("totalResults")).toBe(1);

  const person = (await send("GET", `/Users/${id}`)).resource;
  person.set("displayName", "Mira Berg");
  const changed = await send("PUT", `/Users/${id}`, person.toJSON());
  expect([changed.status, changed.resource.get("displayName")]).toEqual([200, "Mira Berg"]);

  const patch = Patch.patchRequest(
    Patch.replaceOperation('emails[type eq "work"].value', "mira.berg@example.org"),
    Patch.removeOperation("displayName"),
  );
  const patched = (await send("PATCH", `/Users/${id}`, patch)).resource;
  expect(patched.get('emails[type eq "work"]')).toMatchObject({ value: "mira.berg@example.org" });
  expect(patched.get("displayName")).toBeUndefined();

  // The library's operations drop the value false. The service rejects an operation without a value, and the person
  // stays active.
  const unclear = await send("PATCH", `/Users/${id}`, Patch.patchRequest(Patch.replaceOperation("active", false)));
  expect([unclear.status, unclear.resource.schemas()]).toEqual([400, [Constants.SCIM_ERROR_MESSAGE_URN]]);
  expect((await send("GET", `/Users/${id}`)).resource.get("active")).toBe(true);

  const leaver = (await send("GET", `/Users/${id}`)).resource;
  leaver.set("active", false);
  const deactivated = await send("PUT", `/Users/${id}`, leaver.toJSON());
  expect([deactivated.status, deactivated.resource.get("active")]).toEqual([200, false]);
  const [row] = await api.database.owner.query<{ out: boolean }>(
    sql`select offboarded_at is not null as out from users where id = ${id}`,
  );
  expect(row).toEqual({ out: true });
});

const operations: Record<string, ScimPatchOperation[]> = {
  "an attribute replaced": [{ op: "replace", path: "userName", value: "mira.holm@example.org" }],
  "an attribute added that is there": [{ op: "add", path: "externalId", value: "4712" }],
  "an attribute removed": [{ op: "remove", path: "displayName" }],
  "a value removed by a filter": [{ op: "remove", path: 'emails[type eq "work"]' }],
  "a part of a chosen value": [{ op: "replace", path: 'emails[type eq "work"].value', value: "m@example.org" }],
  "a value that is there already": [
    { op: "add", path: "emails", value: [{ value: "mira@example.org", type: "work", primary: true }] },
  ],
  "all values replaced": [
    { op: "replace", path: "emails", value: [{ value: "m@example.org", type: "work", primary: true }] },
  ],
  "attributes without a path": [{ op: "replace", value: { userName: "mira.holm@example.org", externalId: "4712" } }],
  "several operations in their order": [
    { op: "replace", path: "displayName", value: "Mira Berg" },
    { op: "remove", path: "emails" },
    { op: "replace", path: "displayName", value: "Mira Berg-Holm" },
  ],
  "operations in capital letters": [{ op: "Replace", path: "externalId", value: "4712" }],
  "a leaver": [{ op: "replace", path: "active", value: false }],
};

test.each(Object.entries(operations))("PATCH has the result that scim-patch computes: %s", async (_, list) => {
  const send = await givenClient();
  const before = (await send("POST", "/Users", JSON.stringify(sample))).resource;
  const computed = scimPatch(structuredClone(before.data) as unknown as ScimResource, list);
  const body = JSON.stringify({ schemas: [Constants.SCIM_PATCH_MESSAGE_URN], Operations: list });
  const after = await send("PATCH", `/Users/${before.id()}`, body);
  expect(after.status).toBe(200);
  const kept = ({ name: _name, meta: _meta, ...rest }: Readonly<Record<string, unknown>>) => rest;
  expect(kept(after.resource.data)).toEqual(kept({ ...computed }));
});
