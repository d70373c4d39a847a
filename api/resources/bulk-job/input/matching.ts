import type { Db } from "../../../../db/client.ts";
import * as matchingRows from "../../../../db/queries/bulk-job/input/matching.ts";
import { jobColumns } from "../../../../domain/bulk-job/input/columns.ts";
import { jobRowsMax } from "../../../../domain/limits.ts";
import type { JobKind, JobMatching } from "../../../../domain/bulk-job/job.ts";
import type { SearchFind, SearchPlace } from "../../../../domain/search-places.ts";
import type { Scope } from "../../../../domain/people/scopes.ts";
import { readMatching } from "../../../contract/paging.ts";
import { activeProfileList } from "../../profile/list-profiles.ts";
import { userList } from "../../user/list-users.ts";
import { UnusableFile } from "./input.ts";

/** The rows that the search and filter of a list find for a job. */
export interface MatchingRows {
  /** The scope for reading the list. */
  scope: Scope;
  columns: readonly string[];
  given: JobMatching;
  /** The search and filter for the audit log, without the texts that find people: the log names no person. */
  recorded: JobMatching;
  /** The list that is searched. The caller's scopes limit what the search finds. */
  place: SearchPlace;
  /**
   * Adds the rows to a job and returns how many were found. If there are more than a job may have, adds none and
   * returns one more than the limit.
   */
  add: (tx: Db, to: { realmId: string; jobId: string; at: Date; finds: ReadonlySet<SearchFind> }) => Promise<number>;
}

/**
 * Reads `matching` for a job of this kind. Throws `invalid_request` with every fault, and {@link UnusableFile} for an
 * onboarding.
 */
export function readMatchingRows(kind: JobKind, body: object): MatchingRows {
  switch (kind) {
    case "offboarding":
    case "reactivation": {
      const { selection, given } = readMatching(userList, body);
      return {
        scope: "user.read",
        place: "people",
        columns: jobColumns[kind],
        given,
        recorded: withoutTexts(given, ["email", "text"]),
        add: (tx, to) => matchingRows.addUsers(tx, { ...to, ...selection, max: jobRowsMax }),
      };
    }
    case "revocation": {
      const { selection, given } = readMatching(activeProfileList, body);
      return {
        scope: "profile.read",
        place: "profiles",
        columns: jobColumns[kind],
        given,
        // Keeps the search: it matches serial numbers, which identify no person.
        recorded: { ...given, filter: withoutTexts(given, ["text"]).filter },
        add: (tx, to) => matchingRows.addProfiles(tx, { ...to, ...selection, max: jobRowsMax }),
      };
    }
    case "onboarding":
      throw new UnusableFile("Nobody who is in the list joins.");
  }
}

const leftOut = "…";

/** Returns the search and filter with a mark in place of the texts that name people. */
const withoutTexts = ({ search, filter }: JobMatching, texts: readonly string[]): JobMatching => ({
  ...(search !== undefined && { search: leftOut }),
  filter: Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, texts.includes(key) ? leftOut : value]),
  ),
});
