import { randomBytes, randomUUID } from "node:crypto";
import { violates, type Database } from "../../db/client.ts";
import { isContention } from "../../db/contention.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as settlement from "../../db/operations/settlement.ts";
import type { SignedIssuance } from "../../db/operations/settlement.ts";
import * as work from "../../db/queries/issuance/issuance-work.ts";
import type { ClaimedIssuance, Draw, Unclaimed } from "../../db/queries/issuance/issuance-work.ts";
import { identityLabelOf } from "../../domain/certificate/certificate-profile.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { IssuerID } from "../../domain/ids.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { NetworkSettings } from "./device-files/device-file-content.ts";
import { IssuerAway, type Issuers } from "./issuers.ts";
import type { KeyPool } from "./key-pool.ts";
import { networksOf } from "./networks.ts";
import { drawSerialNumber } from "../../pki/serial-number.ts";
import { timed, type LoadMetrics } from "../../process/load-metrics.ts";
import type { SigningRequest, SigningFailureCode, SigningResult } from "../signing/messages.ts";
import type { WrappedDataKey } from "../signing/output-sealer.ts";
import { requestsPerBatch, type SigningPool } from "../signing/pool.ts";

/** The outcome of one attempt at an issuance. */
export type IssuanceOutcome =
  | "issued"
  /** Failed permanently; the row contains the reason. */
  | "failed"
  /** Already settled, claimed by another worker, or left to a worker that can sign for its issuer. */
  | "not claimed"
  /** Returned to the queue: another attempt may succeed. */
  | "released";

/** The most issuances that one attempt claims: their ids fit one notification. */
export const issuancesMax = 200;

export interface IssuanceDeps {
  db: Database;
  pool: SigningPool;
  threads: number;
  issuers: Issuers;
  rsaKeys: Pick<KeyPool, "take">;
  clock: Clock;
  log: Log;
  /** Claims in progress, which the worker renews. */
  activeClaims: Set<string>;
}

/** Pauses between attempts to write a settlement; after the last attempt the claim is left to expire. */
const settlePausesMs = [200, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];

/**
 * Works through issuances together: claim, sign, settle. `docs/issuance.md` numbers these steps and describes the state
 * if the process dies after each. Throws only when Postgres is away or busy with other transactions, or the clock is
 * wrong; then nothing is lost and the caller should retry. Urgent issuances, for which a client is waiting, are signed
 * first. `step` receives the duration of each step.
 */
export async function issueAll(
  deps: IssuanceDeps,
  ids: readonly string[],
  { urgent = true, step = () => () => undefined }: { urgent?: boolean; step?: LoadMetrics["issuanceStep"] } = {},
): Promise<ReadonlyMap<string, IssuanceOutcome>> {
  const { db, clock, log, activeClaims } = deps;
  const claimId = randomUUID();
  const outcomes = new Map<string, IssuanceOutcome>(ids.map((id) => [id, "not claimed"]));

  if (!deps.issuers.isOpen()) return outcomes;
  activeClaims.add(claimId);
  try {
    const claimed = await timed(() => claimAll(deps, { ids, claimId, outcomes }), step("claim"));
    if (claimed.length === 0) return outcomes;

    const naming = namesOf(claimed);
    const { signed, dataKeys, failed } = await timed(() => signAll(deps, claimed, { urgent, naming }), step("sign"));
    const { settled, refused } = await timed(
      () => settleAll(deps, { signed, dataKeys, claimId, naming }),
      step("settle"),
    );
    for (const id of settled) outcomes.set(id, "issued");

    const over = new Set([...settled, ...refused.map(({ id }) => id)]);
    const ownerless = signed.filter(({ id }) => !over.has(id)).map(({ id }) => ({ id, code: "owner" as const }));
    const attempts = [...failed, ...[...refused, ...ownerless].map((attempt) => ({ ...attempt, counted: true }))];
    if (attempts.length > 0) {
      await retryWhileUnavailable(deps, () => work.abandon(db, { attempts, claimId, at: clock.now() }));
      for (const { id, code } of attempts) outcomes.set(id, code === null ? "released" : "failed");
    }
    logIssued(deps, claimed, settled);
    log.debug({ event: "issuances.settled", issued: settled.length, abandoned: attempts.length }, "issuances settled");
    return outcomes;
  } finally {
    activeClaims.delete(claimId);
  }
}

/** How many certificates one line of the log contains. */
const certificatesPerLine = 100;

/** Logs every issued certificate with the request that led to it. */
function logIssued(
  { log }: Pick<IssuanceDeps, "log">,
  claimed: readonly ClaimedIssuance[],
  ids: readonly string[],
): void {
  const settled = new Set(ids);
  const issued = claimed.filter(({ id }) => settled.has(id));
  for (const issuer of new Set(issued.map(({ issuerId }) => issuerId))) {
    const certificates = issued
      .filter(({ issuerId }) => issuerId === issuer)
      .map(({ serialNumber: serial, ...issuance }) => ({ serial, ...named(issuance) }));
    for (let from = 0; from < certificates.length; from += certificatesPerLine) {
      const some = certificates.slice(from, from + certificatesPerLine);
      log.info({ event: "certificates.issued", issuer, certificates: some }, "certificates were issued");
    }
  }
}

/** The fields that name an issuance in the log, so that a reader can find the issuance of a request and the reverse. */
const named = ({ id, requestId }: { id: string; requestId: string | null }) => ({
  issuanceId: id,
  ...(requestId !== null && { requestId }),
});

/** Returns a function that returns the log fields of an issuance in the batch by its id. */
const namesOf = (claimed: readonly ClaimedIssuance[]): Naming => {
  const byId = new Map<string, ClaimedIssuance>(claimed.map((issuance) => [issuance.id, issuance]));
  return (id) => named(byId.get(id) ?? { id, requestId: null });
};
type Naming = (id: string) => ReturnType<typeof named>;

const draw = (id: string): Draw => ({ id, serialNumber: drawSerialNumber(), label: identityLabelOf(randomBytes(20)) });

/**
 * Claims every issuance that this worker can sign, and fails any that no worker can ever claim. If an issuance is
 * left because its issuer is unknown, loads the issuer before claiming, so no serial number is drawn for an issuer that
 * cannot sign.
 */
async function claimAll(
  deps: IssuanceDeps,
  { ids, claimId, outcomes }: { ids: readonly string[]; claimId: string; outcomes: Map<string, IssuanceOutcome> },
): Promise<ClaimedIssuance[]> {
  const { db, clock, issuers } = deps;
  const claimed: ClaimedIssuance[] = [];
  let left = ids;
  for (let loadedMore = true; loadedMore;) {
    const issuerIds = issuers.usable();
    if (issuerIds.length > 0) {
      claimed.push(...(await work.claim(db, { draws: left.map(draw), issuerIds, claimId, at: clock.now() })));
    }
    const taken = new Set<string>(claimed.map(({ id }) => id));
    left = ids.filter((id) => !taken.has(id));
    if (left.length === 0) break;

    const unclaimed = await work.unclaimed(db, { ids: left, issuerIds, at: clock.now() });
    await failHopeless(deps, { unclaimed, outcomes });
    const known = new Set<string>([...issuerIds, ...issuers.away()]);
    const unknown = unclaimed.flatMap(({ issuerId }) => (issuerId === null || known.has(issuerId) ? [] : [issuerId]));
    loadedMore = unknown.length > 0 && (await loadAny(issuers, unknown));
  }
  return claimed;
}

/** Loads these issuers. Returns whether this worker can sign for at least one of them. */
async function loadAny(issuers: Issuers, issuerIds: readonly IssuerID[]): Promise<boolean> {
  try {
    await issuers.ensure(issuerIds);
    return true;
  } catch (error) {
    if (!(error instanceof IssuerAway)) throw error;
  }
  return issuers.usable().some((issuerId) => issuerIds.includes(issuerId));
}

async function failHopeless(
  { db, clock, log }: IssuanceDeps,
  { unclaimed, outcomes }: { unclaimed: readonly Unclaimed[]; outcomes: Map<string, IssuanceOutcome> },
): Promise<void> {
  const rows = unclaimed.flatMap(({ code, ...issuance }) => (code === null ? [] : [{ ...issuance, code }]));
  if (rows.length === 0) return;
  await work.failUnclaimed(db, { rows, at: clock.now() });
  for (const { code, ...issuance } of rows) {
    outcomes.set(issuance.id, "failed");
    log.error({ event: "issuance.failed", ...named(issuance), code }, "an issuance cannot be carried out");
  }
}

interface SignedBatch {
  signed: SignedIssuance[];
  /** The data keys by their ids; parts that the same thread signs share a key. */
  dataKeys: Map<string, WrappedDataKey>;
  failed: { id: string; code: ErrorCode | null; detail?: string; counted: boolean }[];
}

/**
 * Signs everything on the threads, in parts that keep all of them busy. A part that fails as a whole, for example
 * because its thread dies, is returned to the queue.
 */
async function signAll(
  deps: IssuanceDeps,
  claimed: readonly ClaimedIssuance[],
  { urgent, naming }: { urgent: boolean; naming: Naming },
): Promise<SignedBatch> {
  const batch: SignedBatch = { signed: [], dataKeys: new Map(), failed: [] };
  const networks = await networksOf(deps, claimed);
  const size = Math.min(requestsPerBatch, Math.ceil(claimed.length / deps.threads));
  const parts = Array.from({ length: Math.ceil(claimed.length / size) }, (_, part) =>
    claimed.slice(part * size, (part + 1) * size),
  );
  await Promise.all(
    parts.map(async (part) => {
      try {
        const { dataKeys, results } = await deps.pool.issue(
          part.map((row) => toSigningRequest(row, networks.get(row.id), deps)),
          { urgent },
        );
        for (const dataKey of dataKeys) batch.dataKeys.set(dataKey.id, dataKey);
        for (const result of results) recordResult(result, batch, { log: deps.log, naming });
      } catch (error) {
        deps.log.error(
          { event: "signing.failed", issuances: part.map(named), err: error },
          "a batch was not signed; returning it to the queue",
        );
        batch.failed.push(...part.map(({ id }) => ({ id, code: null, counted: true })));
      }
    }),
  );
  return { ...batch, failed: await countWhereUsable(deps, { claimed, failed: batch.failed }) };
}

/**
 * Counts a retryable failure only if its issuer can sign right afterwards: a lost key is not the issuance's fault, but
 * an issuance that never signs must end.
 */
async function countWhereUsable(
  { issuers }: IssuanceDeps,
  { claimed, failed }: { claimed: readonly ClaimedIssuance[]; failed: SignedBatch["failed"] },
): Promise<SignedBatch["failed"]> {
  const again = new Set(failed.filter(({ code }) => code === null).map(({ id }) => id));
  if (again.size === 0) return failed;
  const issuerOf = new Map(claimed.map(({ id, issuerId }) => [id as string, issuerId]));
  const usable = await issuers.probe(claimed.filter(({ id }) => again.has(id)).map(({ issuerId }) => issuerId));
  return failed.map((attempt) => ({
    ...attempt,
    counted: attempt.code !== null || usable.has(issuerOf.get(attempt.id) ?? ""),
  }));
}

/** Rebuilds the request from the committed row, so editing a queued task does not change what is signed. */
function toSigningRequest(
  row: ClaimedIssuance,
  network: NetworkSettings | undefined,
  { rsaKeys }: Pick<IssuanceDeps, "rsaKeys">,
): SigningRequest {
  const keyPair = row.keyType === "rsa-2048" && row.csr === null ? rsaKeys.take() : undefined;
  return {
    issuanceId: row.id,
    issuerId: row.issuerId,
    kind: row.kind,
    serialNumber: row.serialNumber,
    identity: row.identity,
    organization: row.organization,
    realmDomain: row.realmDomain,
    infrastructureDomains: row.infrastructureDomains,
    dnsName: row.identity.includes("@") ? null : row.identity,
    friendlyName: `${row.name} (${row.organization})`,
    notBefore: row.notBefore,
    notAfter: row.notAfter,
    keyType: row.keyType,
    csr: row.csr,
    ...(keyPair === undefined ? {} : { keyPair }),
    format: row.format,
    deviceType: row.deviceType,
    ...(network === undefined ? {} : { network }),
  };
}

/** Maps a thread's refusal to the issuance's error code; null: try again. */
const failureCode = {
  invalid_csr: "invalid_csr",
  lint_failed: "issuance_failed",
  name_not_permitted: "name_not_permitted",
  issuer_expiring: "issuer_expiring",
  issuer_not_loaded: null,
  signing_failed: null,
} as const satisfies Record<SigningFailureCode, ErrorCode | null>;

function recordResult(result: SigningResult, batch: SignedBatch, { log, naming }: { log: Log; naming: Naming }): void {
  if ("failure" in result) {
    const { code, detail } = result.failure;
    // A request that cannot be used is the fault of its sender, who gets the reason.
    const isRequesters = code === "invalid_csr";
    log[isRequesters ? "info" : "error"](
      { event: "issuance.refused", ...naming(result.issuanceId), code, detail },
      "a certificate was not made",
    );
    const attempt = { id: result.issuanceId, code: failureCode[code], counted: true };
    batch.failed.push(isRequesters ? { ...attempt, detail } : attempt);
    return;
  }
  const { issuanceId: id, ...made } = result;
  batch.signed.push({ id, ...made });
}

interface Settlement {
  settled: string[];
  /** Rows that the database rejected, with a code if the requester can do something about it. */
  refused: { id: string; code: ErrorCode | null }[];
}

/**
 * Settles the batch together. If the database rejects the batch because of one row, settles row by row, so only that
 * row fails.
 */
async function settleAll(
  deps: Pick<IssuanceDeps, "db" | "issuers" | "clock" | "log">,
  { signed, dataKeys, claimId, naming }: Pick<SignedBatch, "signed" | "dataKeys"> & { claimId: string; naming: Naming },
): Promise<Settlement> {
  const [only] = signed;
  if (only === undefined) return { settled: [], refused: [] };
  try {
    const settled = await retryWhileUnavailable(deps, () =>
      settlement.settle(deps.db, { signed, dataKeys: [...dataKeys.values()], claimId, at: deps.clock.now() }),
    );
    return { settled, refused: [] };
  } catch (error) {
    if (isPassing(error)) throw error;
    if (signed.length === 1) {
      const code = violates(error, "certificates_public_key") ? "key_already_certified" : null;
      deps.log.error(
        { event: "issuance.not_settled", ...naming(only.id), code, err: error },
        "the database rejected the settlement of an issuance",
      );
      return { settled: [], refused: [{ id: only.id, code }] };
    }
    deps.log.warn(
      { event: "issuances.not_settled", err: error, count: signed.length },
      "the database rejected a batch; settling one by one",
    );
  }
  const parts: Settlement[] = [];
  for (const one of signed) parts.push(await settleAll(deps, { signed: [one], dataKeys, claimId, naming }));
  return {
    settled: parts.flatMap(({ settled }) => settled),
    refused: parts.flatMap(({ refused }) => refused),
  };
}

/** Returns whether the error is temporary: nothing was written, and a retry can succeed. */
const isPassing = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof IssuerAway || isContention(error);

/**
 * Runs a write that must not be lost; retries while Postgres is away or busy with others, or this worker's clock is
 * wrong.
 */
async function retryWhileUnavailable<Result>(
  { issuers }: Pick<IssuanceDeps, "issuers">,
  write: () => Promise<Result>,
): Promise<Result> {
  const attempt = (): Promise<Result> => {
    if (!issuers.isOpen()) throw new IssuerAway("the clock is wrong; nothing is settled");
    return write();
  };
  for (const pauseMs of settlePausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return attempt();
}
