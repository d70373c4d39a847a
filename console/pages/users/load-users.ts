import { api, listOf, type Schemas } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
import type { Found } from "../../list/list-state.ts";

export type User = Schemas["User"];

/** What the states of the filter are for the API. */
const statesOfApi: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: { blacklisted: "false", locked: "false" },
  locked: { blacklisted: "false", locked: "true" },
  offboarded: { blacklisted: "true" },
};

/** What the list of users is asked for when this is searched and filtered by: part of the ID or e-mail address, or a serial number. */
export function usersFilter({
  search: written = "",
  filter: { state = "", ...filter } = {},
}: Found): Record<string, string> {
  const text = written.trim();
  return { ...filter, ...statesOfApi[state], ...(text !== "" && { text }) };
}

/** A page of the realm's users. */
export const loadUsers: LoadList<User> = ({ limit, offset, sort, ...found }, signal) => {
  const query = { limit, offset, filter: usersFilter(found), ...(sort && { sort }) };
  return listOf(api.GET("/api/user", { params: { query }, signal }));
};
