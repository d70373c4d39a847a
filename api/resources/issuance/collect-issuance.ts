import type { CollectIssuance, OpenOutput } from "../../contract/deps.ts";
import type { CollectedIssuance } from "../../contract/views/collected-issuance.ts";
import { X509Certificate } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../domain/entitlement.ts";
import { createBatcher } from "../../../runtime/batch.ts";
import type { Clock } from "../../../runtime/clock.ts";

/**
 * Issuances are read together: all that are asked for in one turn of the event loop, or while two readings are under
 * way, go into the next. Workers settle in batches, so at full load this is three statements for dozens of answers.
 */
export function createCollector({
  db,
  clock,
  openOutput,
}: {
  db: Database;
  clock: Clock;
  openOutput: OpenOutput;
}): CollectIssuance {
  const read = createBatcher(
    async (ids: readonly string[]) => {
      const collected = await readTogether(db, { ids: [...new Set(ids)], at: clock.now() });
      return ids.map((id) => collected.get(id));
    },
    { itemsMax: Number.POSITIVE_INFINITY, inFlightMax: 2, waitMsMax: 0 },
  );

  const open = (found: Omit<CollectedIssuance, "output"> | undefined): CollectedIssuance | undefined => {
    if (found === undefined) return undefined;
    const { id, output } = found.issuance;
    if (output === null) return { ...found, output: undefined };
    const { sealed, wrappedDataKey, dataKeyId } = output;
    if (sealed === null || wrappedDataKey === null || wrappedDataKey.length === 0)
      return { ...found, output: "erased" };
    return { ...found, output: openOutput({ issuanceId: id, dataKeyId, wrappedDataKey, sealed }) ?? "erased" };
  };

  return async (id) => open(await read(id));
}

async function readTogether(
  db: Database,
  { ids, at }: { ids: readonly string[]; at: Date },
): Promise<Map<string, Omit<CollectedIssuance, "output">>> {
  const found = await issuances.collect(db, { ids, at });
  const issued = found.filter(({ state }) => state === "issued");
  // After the states: a certificate is there for every issuance that was issued then.
  const [made, settings] = await Promise.all([
    issued.length === 0
      ? []
      : certificates.listByIssuances(
          db,
          issued.map(({ id }) => id),
        ),
    issued.length === 0 ? [] : realms.listByIds(db, [...new Set(issued.map(({ realmId }) => realmId))]),
  ]);
  const realmOf = new Map(settings.map((realm) => [realm.id, realm]));
  const certificateOf = new Map(made.map((certificate) => [certificate.issuanceId, certificate]));
  const issuerPems = await pemsOfIssuers(
    db,
    made.filter(({ kind }) => kind === "infrastructure"),
  );
  return new Map(
    found.map((issuance) => {
      const realm = realmOf.get(issuance.realmId);
      const certificate = certificateOf.get(issuance.id);
      const issuerPem = certificate && issuerPems.get(certificate.issuerId);
      return [
        issuance.id,
        {
          issuance,
          certificate,
          radiusCn: realm === undefined ? "" : radiusServerName(realm),
          radiusCa: issuerPem && (realm?.radiusCa ?? issuerPem),
        },
      ];
    }),
  );
}

/** The CAs that issued these certificates, in PEM. */
async function pemsOfIssuers(
  db: Database,
  issued: readonly certificates.Certificate[],
): Promise<ReadonlyMap<string, string>> {
  if (issued.length === 0) return new Map();
  const rows = await issuers.listByIds(db, [...new Set(issued.map(({ issuerId }) => issuerId))]);
  return new Map(rows.map(({ id, certificate }) => [id, new X509Certificate(certificate).toString()]));
}
