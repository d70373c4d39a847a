import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createChainCheck, type KeptLink } from "../../../domain/audit/chain-check.ts";
import { chainStart, nextLink, type AuditHead, type ChainedEntry, type ChainEnd } from "../../../domain/audit/chain.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const entry = (id: number, changes: Partial<ChainedEntry> = {}): ChainedEntry => ({
  id: String(id),
  date: `2026-11-21T09:00:${String(id).padStart(2, "0")}.000Z`,
  event: "user_lock",
  user: "7",
  client: null,
  properties: `{"userID": "${id}", "after": {"locked": true}}`,
  ...changes,
});

test("a link is computed as docs/audit.md describes", () => {
  const text =
    `["realmpass audit 1","${"0".repeat(64)}","3","1","17","2026-11-21T09:00:17.000Z","user_lock","7",null,` +
    `{"after":{"locked":true},"userID":"17"}]`;
  expect(nextLink(sha256, "3", chainStart, entry(17))).toEqual({ position: 1, hash: sha256(text) });
  expect(sha256(text)).toBe("ec262bd3dbf7897e7b4ed7df2e62bac28c26e1e212b1e937058735743f361606");
});

const realm = "3";

/** Returns a chain of ten links, and its head. */
function chain(): { links: KeptLink[]; head: AuditHead } {
  let end: ChainEnd = chainStart;
  const links = Array.from({ length: 10 }, (_, index): KeptLink => {
    const kept = entry(index + 1);
    end = nextLink(sha256, realm, end, kept);
    return { realm, id: kept.id, entry: kept, ...end };
  });
  const head: AuditHead = { realm, ...end, sealedAt: "2026-11-21T09:00:30.000Z", previous: 0, complete: true };
  return { links, head };
}

const faultsOf = (
  links: readonly KeptLink[],
  heads: readonly (AuditHead | undefined)[],
  { kept, everyHead = true }: { kept?: AuditHead; everyHead?: boolean } = {},
): string[] => {
  const check = createChainCheck({ sha256, realm, kept, everyHead });
  let next = 0;
  for (const head of heads) {
    while (next < links.length && (links[next]?.position ?? 0) <= (head?.position ?? Infinity))
      check.link(links[next++]!);
    check.head(head, head?.position ?? null);
  }
  while (next < links.length) check.link(links[next++]!);
  return check.finish().faults.map(({ kind, position }) => `${kind} ${position}`);
};

/** Returns the chain with a change to the entry at a position. */
const changed = (position: number, change: (entry: ChainedEntry) => ChainedEntry | undefined): KeptLink[] =>
  chain().links.map((link) =>
    link.position === position && link.entry !== undefined ? { ...link, entry: change(link.entry) } : link,
  );

test("an untouched chain has no faults", () => {
  const { links, head } = chain();
  expect(faultsOf(links, [head], { kept: head })).toEqual([]);
  expect(faultsOf([], [])).toEqual([]);
});

test.each<[field: string, changes: Partial<ChainedEntry>]>([
  ["id", { id: "99" }],
  ["date", { date: "2026-11-21T09:00:04.001Z" }],
  ["date by a microsecond", { date: "2026-11-21T09:00:04.000001Z" }],
  ["event", { event: "user_unlock" }],
  ["user", { user: "8" }],
  ["user to nobody", { user: null }],
  ["client", { client: "" }],
  ["properties", { properties: '{"userID": "4", "after": {"locked": false}}' }],
  ["properties to no JSON", { properties: "{" }],
])("a changed %s is found at its position, and nowhere else", (_, changes) => {
  const links = changed(4, (before) => ({ ...before, ...changes }));
  expect(faultsOf(links, [chain().head])).toEqual(["entry_changed 4"]);
});

test("properties in another order and with different spaces do not count as changed", () => {
  const links = changed(4, (before) => ({ ...before, properties: '{"after":{"locked":true},"userID":"4"}' }));
  expect(faultsOf(links, [chain().head])).toEqual([]);
});

test("a missing entry is found, with or without its link", () => {
  const { links, head } = chain();
  expect(
    faultsOf(
      changed(4, () => undefined),
      [head],
    ),
  ).toEqual(["entry_missing 4"]);
  expect(
    faultsOf(
      links.filter(({ position }) => position !== 4 && position !== 5),
      [head],
    ),
  ).toEqual(["entry_missing 4"]);
});

test("two swapped entries are both found", () => {
  const { links, head } = chain();
  const [third, seventh] = [links[2]!, links[6]!];
  const swapped = links.map((link) =>
    link === third ? { ...third, entry: seventh.entry } : link === seventh ? { ...seventh, entry: third.entry } : link,
  );
  expect(faultsOf(swapped, [head])).toEqual(["entry_changed 3", "entry_changed 7"]);
});

test("an entry of another realm, or at an occupied position, is found", () => {
  const { links, head } = chain();
  const [third] = [links[2]!];
  expect(faultsOf([...links.slice(0, 3), third, ...links.slice(3)], [head])).toEqual(["entry_inserted 3"]);
  expect(faultsOf([...links.slice(0, 2), { ...third, realm: "4" }, ...links.slice(3)], [head])).toEqual([
    "entry_inserted 3",
    "entry_missing 3",
  ]);
});

test("a chain that was rewritten from a position on differs from its head and from the kept head", () => {
  const { head } = chain();
  let end: ChainEnd = chainStart;
  const links = changed(4, (before) => ({ ...before, event: "user_unlock" })).map((link): KeptLink => {
    end = nextLink(sha256, realm, end, link.entry!);
    return { ...link, ...end };
  });

  expect(faultsOf(links, [head])).toEqual(["chain_rewritten 10"]);
  const early = { ...head, position: 5, hash: chain().links[4]!.hash };
  expect(faultsOf(links, [{ ...head, hash: end.hash }], { kept: early })).toEqual(["chain_rewritten 5"]);
});

test("a chain that is shorter than a head is reported as truncated", () => {
  const { links, head } = chain();
  expect(faultsOf(links.slice(0, 8), [head])).toEqual(["chain_truncated 8"]);
  const shorter = { ...head, position: 8, hash: links[7]!.hash };
  expect(faultsOf(links.slice(0, 8), [shorter], { kept: head })).toEqual(["chain_truncated 8"]);
});

test("positions beyond the last head, and a head removed from the middle, are reported as a missing head", () => {
  const { links, head } = chain();
  const early = { ...head, position: 5, hash: links[4]!.hash };
  expect(faultsOf(links, [early])).toEqual(["head_missing 6"]);
  expect(faultsOf(links, [{ ...head, previous: 5 }])).toEqual(["head_missing 5"]);
  expect(faultsOf(links, [{ ...head, previous: 5 }], { everyHead: false })).toEqual([]);
});

test("a head of another realm, or a head that no trusted key signed, is reported as forged", () => {
  const { links, head } = chain();
  expect(faultsOf(links, [{ ...head, realm: "4" }])).toEqual(["head_forged 10"]);
  expect(faultsOf(links, [undefined])).toEqual(["head_forged null", "head_missing 1"]);
});

describe("an entry that is older than the last head before it", () => {
  const dated = (date: string, heads: (links: readonly KeptLink[]) => Partial<AuditHead>): string[] => {
    const { links, head } = chain();
    const before = links.slice(0, 5);
    const late = { ...entry(6), date };
    const end = nextLink(sha256, realm, before[4]!, late);
    const first: AuditHead = { ...head, ...before[4]!, realm, sealedAt: "2026-11-21T10:00:00.000Z", ...heads(links) };
    const second: AuditHead = { ...head, ...end, previous: 5, sealedAt: "2026-11-21T11:00:00.000Z" };
    return faultsOf([...before, { realm, id: "6", entry: late, ...end }], [first, second]);
  };

  test("by more than five minutes is back-dated", () => {
    expect(dated("2026-11-21T09:54:59.999Z", () => ({}))).toEqual(["entry_backdated 6"]);
    expect(dated("infinity", () => ({}))).toEqual(["entry_backdated 6"]);
  });

  test("by up to five minutes is only late", () => {
    expect(dated("2026-11-21T09:55:00.000Z", () => ({}))).toEqual([]);
  });

  test("is not back-dated if more entries were waiting at that time", () => {
    expect(dated("2026-11-21T08:00:00.000Z", () => ({ complete: false }))).toEqual([]);
  });
});

test("of many faults the first hundred are listed and all are counted", () => {
  const check = createChainCheck({ sha256, realm, everyHead: false });
  for (let position = 1; position <= 250; position++) {
    check.link({ realm, position, id: String(position), entry: entry(1), hash: "0".repeat(64) });
  }
  const { faults, faultCount } = check.finish();
  expect(faults).toHaveLength(100);
  expect(faultCount).toBe(251);
});
