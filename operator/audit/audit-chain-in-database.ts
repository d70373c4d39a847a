import type { Db } from "../../db/client.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import type { SealRow, SignedHead } from "../../db/queries/audit/audit-seals.ts";
import {
  createChainCheck,
  type ChainCheck,
  type ChainFindings,
  type KeptLink,
} from "../../domain/audit/chain-check.ts";
import type { AuditHead } from "../../domain/audit/chain.ts";
import { sha256, type HeadVerifier } from "../../runtime/keys/audit-key.ts";

/** The most positions read in one query. */
const pageMax = 5_000;

/** The most entries outside the chain that are listed individually, for each kind. */
const straysMax = 50;

/** The findings about a realm's chain, and the number of entries that are waiting to be sealed. */
export interface ChainReport extends ChainFindings {
  realm: string;
  unsealed: number;
}

/** Checks a realm's chain as it is in Postgres, page by page. */
export async function checkDatabase(
  db: Db,
  { realmId, verifier, kept }: { realmId: string; verifier: HeadVerifier; kept: AuditHead | undefined },
): Promise<ChainReport> {
  const check = createChainCheck({ sha256, realm: realmId, kept, everyHead: true });
  const last = await chain.lastPosition(db, realmId);
  const unsealed = await chain.countWaiting(db, realmId);
  for (let after = 0; after < last;) {
    // Skips a gap, which can be large, instead of reading empty pages.
    const from = (await chain.nextPosition(db, { realmId, after })) ?? last;
    const range = { realmId, after: from - 1, to: Math.min(from - 1 + pageMax, last) };
    const [seals, heads] = await Promise.all([chain.sealsBetween(db, range), chain.headsBetween(db, range)]);
    await checkPage(check, verifier, { links: seals.map((row) => linkOf(row, realmId)), heads });
    after = range.to;
  }

  const { unknown, lost } = await chain.findUnchained(db, { realmId, limit: straysMax });
  for (const id of unknown) {
    const message = `Entry ${id} has no place in the chain and does not wait for one.`;
    check.fault({ kind: "entry_inserted", position: null, id, message });
  }
  for (const id of lost) {
    check.fault({ kind: "entry_missing", position: null, id, message: `Entry ${id} was gone before it was sealed.` });
  }
  return { realm: realmId, unsealed, ...check.finish() };
}

/** Checks links and heads in the order of their positions, each head after the link that it was signed for. */
async function checkPage(
  check: ChainCheck,
  verifier: HeadVerifier,
  { links, heads }: { links: readonly KeptLink[]; heads: readonly SignedHead[] },
): Promise<void> {
  const verified = await Promise.all(heads.map(async (row) => ({ row, head: await verifier.verify(row.signature) })));
  let next = 0;
  for (const link of links) {
    for (; next < verified.length && (verified[next]?.row.position ?? 0) < link.position; next++)
      checkHead(verified[next]);
    check.link(link);
  }
  for (const rest of verified.slice(next)) checkHead(rest);

  function checkHead(one: (typeof verified)[number] | undefined): void {
    if (one === undefined) return;
    const isThisRow = one.head?.position === one.row.position && one.head.hash === one.row.hash;
    check.head(isThisRow ? one.head : undefined, one.row.position);
  }
}

function linkOf(row: SealRow, realmId: string): KeptLink {
  const { position, entryId, hash, id, realm, date, event, user, client, properties } = row;
  if (id === null) return { realm: realmId, position, id: entryId, entry: undefined, hash };
  const entry = { id, date, event, user, client, properties };
  return { realm: realm ?? "", position, id: entryId, entry, hash };
}
