import type { Database } from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";
import type { IssuerWithKey } from "../../db/queries/issuer-keys.ts";
import type { IssuerID } from "../../domain/ids.ts";
import type { Beat } from "../../process/beat.ts";
import type { Clock } from "../../runtime/clock.ts";
import { ConfigError } from "../../runtime/config/config.ts";
import type { Log } from "../../runtime/log.ts";
import type { SigningPool } from "../signing/pool.ts";
import { SigningThreadError, ThreadRequestError } from "../signing/thread-handle.ts";

/** Thrown when this worker cannot sign for the issuer now. Another worker may be able to sign, or this worker later. */
export class IssuerAway extends Error {
  override readonly name = "IssuerAway";
}

/** The issuers for which this worker can sign: the worker claims, publishes and certifies only for these issuers. */
export interface Issuers {
  /** Returns false while this worker is not allowed to sign at all. */
  isOpen(): boolean;
  /** Returns the issuers that this worker can sign for now. */
  usable(): IssuerID[];
  /** Returns the known issuers for which this worker cannot sign now. */
  away(): IssuerID[];
  /**
   * Ensures that this worker can sign for each of these issuers: reads an unknown issuer from the database, loads it
   * and probes it. Examines all of them before it throws {@link IssuerAway} or DatabaseUnavailable.
   */
  ensure(issuerIds: readonly string[]): Promise<void>;
  /** Makes each of these issuers sign something after a failure to sign, and returns the issuers that signed. */
  probe(issuerIds: readonly IssuerID[]): Promise<ReadonlySet<string>>;
  /**
   * Must be called each second. Every ten seconds it reads all unexpired issuers, loads new and changed ones, and
   * probes each; in between it probes issuers lost with the threads. It also notices when this worker loses or regains
   * permission to sign.
   */
  watch(): Promise<void>;
  /** Throws ConfigError if the passphrase does not open the key of the newest issuer. */
  checkPassphrase(): Promise<void>;
}

export interface IssuersOptions {
  db: Database;
  pool: Pick<SigningPool, "ensureIssuer" | "probe">;
  publicationUrl: string;
  clock: Clock;
  log: Log;
  problems?: Pick<Beat, "report" | "end">;
  /** Whether this worker is allowed to sign at all. Default: always true. */
  isOpen?: () => boolean;
  /** Called when an issuer becomes usable or away, or is forgotten, and when signing as a whole is closed or opened. */
  onChange?: () => void;
}

const refreshMs = 10_000;

/** Loads issuers on demand, so a new issuer needs no restart of the workers. */
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
  /** Issuers that could not be probed because no thread was available. */
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
      log.error(
        { event: "issuer.away", issuer: issuerId, err },
        "this worker cannot sign for an issuer; other issuers are not affected",
      );
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

  /** Loads an issuer if it is new or has changed, makes it sign something, and notes the result. */
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

  /** Looks up an issuer for the first time; concurrent callers share the lookup. */
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
    // Examines one issuer after the other, because callers that wait for a signature need the threads.
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
      // All look-ups end before the caller continues: one issuer's failure must not let work begin while another issuer
      // is still loading.
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
