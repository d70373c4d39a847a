import type { QueryClient } from "@tanstack/react-query";
import { api, listOf, type Schemas } from "../../api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
import type { ListQuery } from "../../list/list-state.ts";
import { personQuery } from "../../ui/person.tsx";
import { serialHitsQuery } from "./serial-hits.ts";
import { understand } from "./understood.ts";

export type User = Schemas["User"];

/** What the states of the filter are for the API. */
const statesOfApi: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: { blacklisted: "false", locked: "false" },
  locked: { blacklisted: "false", locked: "true" },
  offboarded: { blacklisted: "true" },
};

/** A page of the realm's users: by part of the ID or e-mail address, or as owners of a serial number. */
export const loadUsers =
  (queries: QueryClient): LoadList<User> =>
  async ({ search: written = "", filter: { state = "", ...filter } = {}, ...query }, signal) => {
    const understood = understand(written);
    const asked: ListQuery = { ...query, filter: { ...filter, ...statesOfApi[state] } };
    switch (understood.kind) {
      case "nothing":
        return listUsers(asked, signal);
      case "id":
        return listUsers({ ...asked, search: understood.text }, signal);
      case "email":
        return listUsers({ ...asked, filter: { ...asked.filter, email: understood.text } }, signal);
      case "serial": {
        const owners = await ownersOf(understood.digits, queries);
        return behind(owners, { ...asked, search: understood.digits }, signal);
      }
    }
  };

const listUsers = (query: ListQuery, signal: AbortSignal) =>
  listOf(api.GET("/api/user", { params: { query }, signal }));

async function ownersOf(digits: string, queries: QueryClient): Promise<User[]> {
  const { profiles } = await queries.query(serialHitsQuery(digits));
  const ids = [...new Set(profiles.map(({ owner }) => owner))];
  return Promise.all(ids.map((id) => queries.query({ ...personQuery(id), staleTime: 0 })));
}

/** One list of two: those who are known already, and behind them whom the API finds. */
async function behind(known: User[], { limit, offset, ...query }: ListQuery, signal: AbortSignal) {
  const shown = known.slice(offset, offset + limit);
  const wanted = limit - shown.length;
  const page = await listUsers(
    { ...query, limit: Math.max(1, wanted), offset: Math.max(0, offset - known.length) },
    signal,
  );
  const others = page.data.slice(0, wanted).filter(({ userID }) => known.every((user) => user.userID !== userID));
  return { data: [...shown, ...others], total: known.length + page.total };
}
