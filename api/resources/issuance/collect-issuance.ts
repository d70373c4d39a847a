import { X509Certificate } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as collection from "../../../db/operations/collection.ts";
import type { Collected } from "../../../db/operations/collection.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { createBatcher } from "../../../runtime/queue/batch.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { timed } from "../../../process/load-metrics.ts";
import type { CollectIssuance, Deps, OpenOutput } from "../../contract/deps.ts";
import type { CollectedIssuance } from "../../contract/views/collected-issuance.ts";

/**
 * Reads issuances together: requests that arrive in one turn of the event loop, or while two readings already run,
 * share the next reading. Workers settle in batches, so at full load one round trip serves dozens of responses.
 */
export function createCollector({
  db,
  clock,
  openOutput,
  metrics,
}: {
  db: Database;
  clock: Clock;
  openOutput: OpenOutput;
  metrics: Pick<Deps["metrics"], "batch" | "issuanceStep">;
}): CollectIssuance {
  const read = createBatcher(
    async (ids: readonly string[]) => {
      const found = await collection.collect(db, { ids: [...new Set(ids)], at: clock.now() });
      const byId = new Map(found.map((collected) => [collected.issuance.id, collected]));
      return ids.map((id) => byId.get(id));
    },
    { itemsMax: Number.POSITIVE_INFINITY, inFlightMax: 2, waitMsMax: 0, onBatch: metrics.batch("collect") },
  );

  /** The PEM of each issuer by issuer id; the PEM never changes. */
  const pems = new Map<string, string>();

  async function pemOf(issuerId: string): Promise<string | undefined> {
    if (!pems.has(issuerId)) {
      for (const { id, certificate } of await issuers.listByIds(db, [issuerId])) {
        pems.set(id, new X509Certificate(certificate).toString());
      }
    }
    return pems.get(issuerId);
  }

  async function view({ radiusCa, ...found }: Collected): Promise<CollectedIssuance> {
    const { certificate } = found;
    const isServer = certificate?.kind === "infrastructure";
    const ca = isServer ? (radiusCa ?? (await pemOf(certificate.issuerId))) : undefined;
    return { ...found, output: outputOf(found.issuance, openOutput), radiusCa: ca };
  }

  const collected = metrics.issuanceStep("collect");

  async function collect(id: string): Promise<CollectedIssuance | undefined> {
    const found = await read(id);
    return found && view(found);
  }

  return (id) => timed(() => collect(id), collected);
}

function outputOf({ id, output }: Collected["issuance"], openOutput: OpenOutput): CollectedIssuance["output"] {
  if (output === null) return undefined;
  const { sealed, wrappedDataKey, dataKeyId } = output;
  if (sealed === null || wrappedDataKey === null || wrappedDataKey.length === 0) return "erased";
  return openOutput({ issuanceId: id, dataKeyId, wrappedDataKey, sealed }) ?? "erased";
}
