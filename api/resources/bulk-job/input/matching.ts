import type { Db } from "../../../../db/client.ts";
import * as matchingRows from "../../../../db/queries/bulk-job/input/matching.ts";
import { jobColumns } from "../../../../domain/bulk-job/input/columns.ts";
import { jobRowsMax } from "../../../../domain/limits.ts";
import type { JobKind, JobMatching } from "../../../../domain/bulk-job/job.ts";
import type { Scope } from "../../../../domain/people/scopes.ts";
import { readMatching } from "../../../contract/paging.ts";
import { activeProfileList } from "../../profile/list-profiles.ts";
import { userList } from "../../user/list-users.ts";
import { UnusableFile } from "./input.ts";

/** All that a search and filter of a list find, as the rows of a job. */
export interface MatchingRows {
  /** What a token needs to read the list. */
  scope: Scope;
  columns: readonly string[];
  given: JobMatching;
  /** The same for the audit log, which names nobody: without texts that people are searched by. */
  recorded: JobMatching;
  /** Adds the rows to a job. Returns how many were found; if a job may not have so many, none is added. */
  add: (tx: Db, to: { realmId: string; jobId: string; at: Date }) => Promise<number>;
}

/** What `matching` means in a job of this kind. Throws `invalid_request` with every fault. */
export function readMatchingRows(kind: JobKind, body: object): MatchingRows {
  switch (kind) {
    case "offboarding":
    case "reactivation": {
      const { selection, given } = readMatching(userList, body);
      return {
        scope: "user.read",
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
        columns: jobColumns[kind],
        given,
        // Serial numbers name nobody, and no other text finds a profile.
        recorded: given,
        add: (tx, to) => matchingRows.addProfiles(tx, { ...to, ...selection, max: jobRowsMax }),
      };
    }
    case "onboarding":
      throw new UnusableFile("Nobody who is in the list joins.");
  }
}

const leftOut = "…";

/** Search and filter with a mark in place of the texts that name people. */
const withoutTexts = ({ search, filter }: JobMatching, texts: readonly string[]): JobMatching => ({
  ...(search !== undefined && { search: leftOut }),
  filter: Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, texts.includes(key) ? leftOut : value]),
  ),
});
