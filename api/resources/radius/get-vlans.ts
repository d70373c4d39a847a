import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as vlans from "../../../db/queries/people/vlans.ts";
import type { VlanLine } from "../../../db/queries/people/vlans.ts";
import { Streamed, streaming } from "../../contract/stream.ts";

/** The number of lines to read and send at a time. */
const pageLines = 2_000;

export const getVlans = streaming({
  operation: "getVLANs",
  summary: "The VLANs of devices, for RADIUS servers",
  description:
    "A line for each active profile of a user with a VLAN of their own: `identity`, the common name of its certificate, a tab, and the VLAN. The first line is for all other devices, with `*` in place of the identity, if the realm has a default. The last line is `end`: without it the list is not whole.",
  path: "/api/radius/vlans",
  access: "staff",
  scope: "radius.read",
  params: z.object({}),
  query: z.object({}),
  types: { "text/plain": z.string().describe("Lines of `identity TAB vlan`.") },
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock } }) {
    const of = { realmId, at: clock.now() };
    // Reads the first page before sending anything: if the database is unreachable, the client gets an error instead of
    // half a response.
    const [realmDefault, first] = await Promise.all([
      vlans.findDefault(db, of),
      vlans.listLines(db, { ...of, behind: undefined, limit: pageLines }),
    ]);
    return new Streamed("text/plain; charset=utf-8", undefined, pagesOf(db, of, { realmDefault, first }));
  },
});

async function* pagesOf(
  db: Db,
  of: { realmId: string; at: Date },
  { realmDefault, first }: { realmDefault: string | null; first: VlanLine[] },
): AsyncIterable<string> {
  if (realmDefault !== null) yield `*\t${realmDefault}\n`;
  for (let lines = first; ;) {
    yield lines.map(({ identity, vlan }) => `${identity}\t${vlan}\n`).join("");
    if (lines.length < pageLines) break;
    lines = await vlans.listLines(db, { ...of, behind: lines.at(-1), limit: pageLines });
  }
  yield "end\n";
}
