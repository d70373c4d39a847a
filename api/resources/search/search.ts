import { z } from "zod";
import { searchLengthMin, readSearch } from "../../../domain/people/search-text.ts";
import { searchLengthMax } from "../../../domain/limits.ts";
import { hasStaffScope } from "../../contract/access.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { SearchView } from "../../contract/views/search-view.ts";
import { findGroups } from "./find-groups.ts";

const limitDefault = 6;
const limitMax = 20;

const q = z.string().max(searchLengthMax).describe(`The text to search for, at least ${searchLengthMin} characters.`);

const include = z.enum(["jobs"]);

export const search = endpoint({
  operation: "search",
  summary: "Search",
  description:
    "Finds people, profiles, guest accounts and applications by anything known about them, in every group that the " +
    "token has " +
    "the scope for: `user.read`, `profile.read` (of people), `guest.view` (guest accounts and their profiles), " +
    "`infrastructure.read` and `application.read`. A complete value is found: an ID, an address, a name, a serial " +
    "number (decimal or hexadecimal, in any grouping) or its beginning or end, an identity or its beginning. `q` " +
    "and `limit` " +
    "may be in the query or in a body, which wins; with POST no address contains the text. With `include` `jobs` the " +
    "answer has the group `job` as well: bulk jobs by the name of their file or their ID, with `job.read`.",
  method: ["get", "post"],
  path: "/api/search",
  access: "staff",
  query: z.object({
    q: q.optional(),
    limit: z
      .string()
      .regex(/^(?:[1-9]|1[0-9]|20)$/, `must be a whole number from 1 to ${limitMax}`)
      .transform(Number)
      .optional(),
    include: include.optional(),
  }),
  body: z.object({
    q: q.nullish(),
    limit: z.int().min(1).max(limitMax).optional(),
    include: include.optional(),
  }),
  data: SearchView,
  errors: [],

  async handle({ principal, query, body, deps: { db, clock } }) {
    const searched = readSearch(body.q ?? query.q ?? "");
    const limit = body.limit ?? query.limit ?? limitDefault;
    const { realmId } = principal;
    return findGroups(db, {
      realmId,
      searched,
      limit,
      at: clock.now(),
      includesJobs: (body.include ?? query.include) === "jobs",
      may: (scope) => hasStaffScope(principal, scope),
    });
  },
});
