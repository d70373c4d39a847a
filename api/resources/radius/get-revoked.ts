import { z } from "zod";
import * as revoked from "../../../db/queries/certificates/revoked.ts";
import type { Deps } from "../../contract/deps.ts";
import { filters } from "../../contract/filters.ts";
import { Streamed, streaming } from "../../contract/stream.ts";

/**
 * The longest time that a client can wait, in seconds: shorter than the time after which proxies cut silent
 * connections.
 */
const waitSecondsMax = 60;

/** The number of lines to read and send at a time. */
const pageLines = 1_000;

export const getRevoked = streaming({
  operation: "getRevoked",
  summary: "The revoked profiles, for programs that disconnect their devices",
  description:
    "A line for each revocation of any kind of profile since then: `identity`, a tab, and when it was revoked; the " +
    "oldest first. The answer is sent at once if a line is newer than `since`, else as soon as a new line appears, " +
    "at the latest after `wait` seconds. Lines from the 60 s before `since` are repeated, for revocations that were " +
    "committed late. The header `X-Until` is the next `since`.",
  path: "/api/radius/revoked",
  access: "staff",
  scope: "radius.read",
  params: z.object({}),
  query: z.object({
    since: filters.instant
      .optional()
      .describe("Default: now. At most 24 hours back: an earlier time counts as that. At most 60 s ahead."),
    wait: z
      .string()
      .regex(/^[0-9]{1,9}$/, "must be a whole number")
      .transform(Number)
      .pipe(z.int().max(waitSecondsMax))
      .default(0)
      .describe("In seconds."),
  }),
  types: { "text/plain": z.string().describe("Lines of `identity TAB revokedAt`.") },
  errors: ["invalid_request"],

  async handle({ query: { since, wait }, principal, deps, signal, fail }) {
    const { realmId } = principal;
    if (principal.kind === "service") await revoked.noteReader(deps.db, { realmId, clientId: principal.clientId });
    const window = await deps.revokedFeed.wait({ realmId, since }, wait * 1_000, signal());
    if (window === "ahead") {
      throw fail("invalid_request", { fields: [{ path: "since", reason: "is in the future" }] });
    }
    // Reads the first page before it sends anything: without a database, the client gets an error instead of half a
    // response.
    const first = await revoked.list(deps.db, { ...window, behind: undefined, limit: pageLines });
    return new Streamed("text/plain; charset=utf-8", undefined, pagesOf(deps, window, first.lines), {
      "X-Until": first.at.toISOString(),
    });
  },
});

async function* pagesOf(
  { db, metrics }: Deps,
  window: revoked.RevokedWindow,
  firstLines: revoked.RevokedLine[],
): AsyncIterable<string> {
  let lines = firstLines;
  while (lines.length > 0) {
    metrics.revokedFeedLines(lines.length);
    yield lines.map(({ identity, revokedAt }) => `${identity}\t${revokedAt.toISOString()}\n`).join("");
    if (lines.length < pageLines) return;
    ({ lines } = await revoked.list(db, { ...window, behind: lines.at(-1)?.id, limit: pageLines }));
  }
}
