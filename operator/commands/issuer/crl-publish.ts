import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../../../db/client.ts";
import * as crls from "../../../db/queries/certificates/crls.ts";
import * as processes from "../../../db/queries/upkeep/processes.ts";
import { command } from "../command.ts";
import type { Context } from "../../context/context.ts";
import { CommandError } from "../../../terminal/failure.ts";

/** Workers look for requests several times a second, and pause for some seconds between two CRLs of one issuer. */
const waitMsMax = 30_000;
const lookMs = 200;

export const crlPublish = command({
  name: "crl publish",
  about: "Makes the workers publish a new CRL of each issuer, and waits until they have.",
  options: {},
  async run(_, context) {
    const realmIds = new Set((await context.realms()).map(({ id }) => id));
    const db = await context.db();
    const before = await statesOf(db, realmIds, context);
    if (before.length === 0) {
      throw new CommandError("no_issuer", "There is no issuer that has not ended. Create one with `issuer create`.");
    }
    if ((await processes.countAlive(db, "worker")) === 0) {
      throw new CommandError(
        "no_worker",
        "No worker is running, and only workers sign CRLs. Start one: it publishes due CRLs by itself.",
      );
    }
    await crls.request(db, { issuerIds: before.map(({ issuerId }) => issuerId), at: context.clock.now() });
    const published = await followed(db, { before, realmIds }, context);
    return { json: { crls: published.map(crlView) }, text: published.map(crlLine).join("\n") };
  },
});

type Published = crls.CrlState & { crl: NonNullable<crls.CrlState["crl"]> };

const statesOf = async (db: Db, realmIds: ReadonlySet<string>, { clock }: Context): Promise<crls.CrlState[]> =>
  (await crls.listStates(db, { at: clock.now() })).filter(({ realmId }) => realmIds.has(realmId));

/**
 * Waits until each issuer has a newer CRL and returns the new CRLs. Throws `not_published` if that takes longer than
 * {@link waitMsMax}.
 */
async function followed(
  db: Db,
  { before, realmIds }: { before: readonly crls.CrlState[]; realmIds: ReadonlySet<string> },
  context: Context,
): Promise<Published[]> {
  const numbers = new Map(before.map(({ issuerId, crl }) => [issuerId, crl?.number]));
  const isNew = (state: crls.CrlState): state is Published =>
    state.crl !== null && state.crl.number !== numbers.get(state.issuerId);
  const giveUpAt = performance.now() + waitMsMax;
  while (performance.now() < giveUpAt) {
    const now = (await statesOf(db, realmIds, context)).filter(({ issuerId }) => numbers.has(issuerId));
    const published = now.filter(isNew);
    if (published.length === now.length) return published;
    await pause(lookMs);
  }
  throw new CommandError(
    "not_published",
    `The workers have not published within ${waitMsMax / 1000} s. Look for "crl.failed" in their logs.`,
  );
}

const crlView = ({ issuerId, crl }: Published) => ({
  issuerID: issuerId,
  crlNumber: crl.number,
  thisUpdate: crl.thisUpdate.toISOString(),
  nextUpdate: crl.nextUpdate.toISOString(),
  entries: crl.entries,
  size: crl.size,
});

const crlLine = ({ issuerId, crl }: Published): string =>
  `issuer ${issuerId}: CRL ${crl.number} with ${crl.entries} entries (${crl.size} bytes), until ${crl.nextUpdate.toISOString()}`;
