import type { Database } from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";
import type { IssuerWithKey } from "../../db/queries/issuer-keys.ts";
import type { IssuerID } from "../../domain/ids.ts";
import type { Beat } from "../../process/beat.ts";
import type { Clock } from "../../runtime/clock.ts";
import { ConfigError } from "../../runtime/config.ts";
import type { Log } from "../../runtime/log.ts";
import type { SigningPool } from "../signing/pool.ts";
import { SigningThreadError, ThreadRequestError } from "../signing/thread-handle.ts";

/** This worker cannot sign for the issuer now. Another one may, and this one later. */
export class IssuerAway extends Error {
  override readonly name = "IssuerAway";
}

/** The issuers that this worker can sign for: nothing is claimed, published or certified for any other. */
export interface Issuers {
  /** False while this worker may sign for nobody at all. */
  isOpen(): boolean;
  /** Those that can be signed for now. */
  usable(): IssuerID[];
  /** Those that are known and cannot. */
  away(): IssuerID[];
  /**
   * Sees to it that each of these can be signed for: one that is not known yet is read from the database, loaded and
   * probed. Throws {@link IssuerAway} when one cannot, once all were looked at, and DatabaseUnavailable.
   */
  ensure(issuerIds: readonly string[]): Promise<void>;
  /** Has each of these sign something now, after signing has failed, and answers those that did. */
  probe(issuerIds: readonly IssuerID[]): Promise<ReadonlySet<string>>;
  /**
   * To be called each second. Every ten seconds it reads all issuers that have not ended, loads those that are new or
   * changed, and probes each; in between it probes those that were lost with the threads. It also notices when this
   * worker may no longer sign, or may again.
   */
  watch(): Promise<void>;
  /** Throws ConfigError when the passphrase does not open the key of the newest issuer. */
  checkPassphrase(): Promise<void>;
}

export interface IssuersOptions {
  db: Database;
  pool: Pick<SigningPool, "ensureIssuer" | "probe">;
  publicationUrl: string;
  clock: Clock;
  log: Log;
  problems?: Pick<Beat, "report" | "end">;
  /** Whether this worker may sign at all. Default: it may. */
  isOpen?: () => boolean;
  /** Called when an issuer has gone away or come back, and when the gate was closed or opened for all. */
  onChange?: () => void;
}

const refreshMs = 10_000;

/** Issuers as they are needed, so that one made while workers run needs no restart. */
export function createIssuers({
  db,
  pool,
  publicationUrl,
  clock,
  log,
  problems,
  isOpen = () => true,
  onChange,
}: IssuersOptions): Issuers {
  const known = new Map<IssuerID, "usable" | "away">();
  const looking = new Map<string, Promise<void>>();
  /** Those that no thread could be asked about. */
  const lost = new Set<IssuerID>();
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let wasOpen = true;

  const listOf = (standing: "usable" | "away"): IssuerID[] =>
    [...known].filter(([, each]) => each === standing).map(([issuerId]) => issuerId);

  function note(issuerId: IssuerID, standing: "usable" | "away", err?: unknown): void {
    const before = known.get(issuerId);
    known.set(issuerId, standing);
    if (err instanceof SigningThreadError) lost.add(issuerId);
    else lost.delete(issuerId);
    if (before === standing) return;
    const detail = `issuer ${issuerId}`;
    if (standing === "away") {
      log.error({ event: "issuer.away", issuer: issuerId, err }, "this worker cannot sign for an issuer; others go on");
      problems?.report("issuer_away", detail);
    } else if (before === "away") {
      log.info({ event: "issuer.back", issuer: issuerId }, "this worker can sign for an issuer again");
      problems?.end("issuer_away", detail);
    }
    onChange?.();
  }

  function forget(issuerId: IssuerID): void {
    if (known.get(issuerId) === "away") problems?.end("issuer_away", `issuer ${issuerId}`);
    known.delete(issuerId);
    lost.delete(issuerId);
    onChange?.();
  }

  async function load({ encryptedKey, ...row }: IssuerWithKey): Promise<void> {
    if (encryptedKey === null) throw new IssuerAway(`issuer ${row.id} has no key here`);
    await pool.ensureIssuer({
      issuerId: row.id,
      certificate: row.certificate,
      chain: [row.certificate, ...row.chain.slice(0, -1)],
      encryptedKey,
      urls: {
        crl: `${publicationUrl}/crl/${row.id}.crl`,
        ocsp: `${publicationUrl}/ocsp/${row.id}`,
        caIssuers: `${publicationUrl}/ca/${row.id}.cer`,
      },
    });
  }

  /** Loads an issuer if it is new or has changed, has it sign something, and notes how that went. */
  async function examine(row: IssuerWithKey): Promise<void> {
    try {
      await load(row);
      await pool.probe(row.id);
      note(row.id, "usable");
    } catch (error) {
      note(row.id, "away", error);
    }
  }

  async function lookUp(issuerId: string): Promise<void> {
    const [row] = await issuerKeys.listWithKeys(db, [issuerId]);
    if (row === undefined) note(issuerId as IssuerID, "away", new IssuerAway(`issuer ${issuerId} has no key here`));
    else await examine(row);
  }

  /** The first look at an issuer, which all share who need it meanwhile. */
  function lookOnce(issuerId: string): Promise<void> {
    const begun = looking.get(issuerId) ?? lookUp(issuerId).finally(() => looking.delete(issuerId));
    looking.set(issuerId, begun);
    return begun;
  }

  async function probe(issuerIds: readonly IssuerID[]): Promise<ReadonlySet<string>> {
    const distinct = [...new Set(issuerIds)];
    const probes = await Promise.all(
      distinct.map(async (issuerId) => {
        try {
          await pool.probe(issuerId);
          note(issuerId, "usable");
          return issuerId;
        } catch (error) {
          note(issuerId, "away", error);
          return undefined;
        }
      }),
    );
    return new Set(probes.filter((issuerId) => issuerId !== undefined));
  }

  async function refresh(): Promise<void> {
    const rows = await issuerKeys.listUnended(db, { at: clock.now() });
    // One after the other: the threads are there for those who wait.
    for (const row of rows) await examine(row);
    const current = new Set(rows.map(({ id }) => id));
    for (const issuerId of known.keys()) if (!current.has(issuerId)) forget(issuerId);
  }

  return {
    isOpen,
    usable: () => (isOpen() ? listOf("usable") : []),
    away: () => (isOpen() ? listOf("away") : [...known.keys()]),
    probe,

    async ensure(issuerIds) {
      if (!isOpen()) throw new IssuerAway("this worker signs nothing now");
      const unknown = [...new Set(issuerIds)].filter((issuerId) => !known.has(issuerId as IssuerID));
      // Each look ends before anybody goes on: an issuer that fails must not let work begin that another is loaded for.
      const looks = await Promise.allSettled(unknown.map(lookOnce));
      const failures = looks.flatMap((look) => (look.status === "rejected" ? [look.reason as unknown] : []));
      if (failures.length > 0) throw failures.find((failure) => failure instanceof DatabaseUnavailable) ?? failures[0];
      const away = issuerIds.find((issuerId) => known.get(issuerId as IssuerID) !== "usable");
      if (away !== undefined) throw new IssuerAway(`issuer ${away} cannot be signed for`);
    },

    async watch() {
      if (isOpen() !== wasOpen) {
        wasOpen = !wasOpen;
        onChange?.();
      }
      if (performance.now() - refreshedAt < refreshMs) {
        if (lost.size > 0) await probe([...lost]);
        return;
      }
      await refresh();
      refreshedAt = performance.now();
    },

    async checkPassphrase() {
      const row = await issuerKeys.findNewest(db);
      if (row === undefined) return;
      try {
        await load(row);
      } catch (error) {
        if (!(error instanceof ThreadRequestError) || error.reason !== "EncryptedKeyError") return;
        throw new ConfigError([
          `REALMPASS_ISSUER_KEY_PASSPHRASE: it does not open the key of issuer ${row.id}, the newest (${error.message})`,
        ]);
      }
    },
  };
}
