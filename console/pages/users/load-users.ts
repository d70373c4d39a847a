import { api, listOf, type Schemas } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";

export type User = Schemas["User"];

/** What the states of the filter are for the API. */
const statesOfApi: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: { blacklisted: "false", locked: "false" },
  locked: { blacklisted: "false", locked: "true" },
  offboarded: { blacklisted: "true" },
};

/** A page of the realm's users: by part of the ID or e-mail address, or as owners of a serial number. */
export const loadUsers: LoadList<User> = (
  { search: written = "", filter: { state = "", ...filter } = {}, ...query },
  signal,
) => {
  const text = written.trim();
  const asked = { ...filter, ...statesOfApi[state], ...(text !== "" && { text }) };
  return listOf(api.GET("/api/user", { params: { query: { ...query, filter: asked } }, signal }));
};
