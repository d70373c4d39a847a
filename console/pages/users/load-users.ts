import { answerOf, api, type Schemas } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
import type { Found } from "../../list/list-state.ts";

/** A user, with the display name if it was requested. */
export type User = Schemas["User"] & { displayName?: string | null | undefined };

/** The API's filters for each state in the list. */
const statesOfApi: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: { blacklisted: "false", locked: "false" },
  locked: { blacklisted: "false", locked: "true" },
  offboarded: { blacklisted: "true" },
  notPermitted: { blacklisted: "false", notPermitted: "true" },
};

/** Returns the API's filter for a search and filters. */
export function usersFilter({
  search: written = "",
  filter: { state = "", ...filter } = {},
}: Found): Record<string, string> {
  const text = written.trim();
  return { ...filter, ...statesOfApi[state], ...(text !== "" && { text }) };
}

export const loadUsers: LoadList<User> = async ({ limit, offset, sort, ...found }, signal) => {
  const query = { limit, offset, filter: usersFilter(found), ...(sort && { sort }), include: "people" } as const;
  const answer = await answerOf(api.GET("/api/user", { params: { query }, signal }));
  const { data, total = data.length, people } = answer;
  return { data: data.map((user) => ({ ...user, displayName: people?.[user.userID]?.displayName })), total };
};
