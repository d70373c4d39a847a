import { Counter, Gauge, type Registry } from "prom-client";
import * as crls from "../../db/queries/certificates/crls.ts";
import type { IssuerID } from "../../domain/ids.ts";
import type { Beat } from "../../process/beat.ts";
import type { Log } from "../../runtime/log.ts";
import { IssuerAway } from "../issuance/issuers.ts";
import { SigningThreadError, ThreadRequestError } from "../signing/thread-handle.ts";
import { createPieceStore } from "./piece-store.ts";
import { publishCrl, type PublishDeps } from "./publish-crl.ts";

export interface PublisherOptions extends Omit<PublishDeps, "pieces"> {
  registry: Registry;
  /** Receives the issuers whose CRL cannot be published. */
  beat: Pick<Beat, "report" | "end">;
  log: Log;
}

/** Interval between checks for due CRLs: one statement for all issuers. */
const lookMs = 250;

/** Interval while Postgres is away. */
const awayMs = 1_000;

/**
 * First pause after an issuer's CRL could not be published; the pause doubles with each failure up to {@link
 * failedMsMax}.
 */
const failedMs = 2_000;
const failedMsMax = 60_000;

/**
 * Keeps the CRL of every unexpired issuer up to date: publishes within seconds of a revocation, and after each quarter
 * of the validity. Any number of workers can run a publisher; one worker at a time publishes. A timer in the process
 * drives the publisher, because revocation must work even when the queue does not.
 */
export function startCrlPublisher(options: PublisherOptions): { stop(): Promise<void> } {
  const { db, validityHours, clock, beat, log } = options;
  const deps: PublishDeps = { ...options, pieces: createPieceStore() };
  const count = createCrlMetrics(options);
  const failing = new Map<string, { times: number; until: number }>();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;

  async function publish(issuerId: string): Promise<void> {
    const startedAt = performance.now();
    const { times = 0, until = 0 } = failing.get(issuerId) ?? {};
    if (startedAt < until) return;
    try {
      const published = await publishCrl(deps, issuerId);
      failing.delete(issuerId);
      beat.end("publication_failed", `issuer ${issuerId}`);
      if (published === undefined) return;
      count("published");
      const ms = Math.round(performance.now() - startedAt);
      log.info({ event: "crl.published", issuer: issuerId, ...published, ms }, "CRL published");
    } catch (error) {
      // Another worker publishes, or this worker publishes once it can sign for the issuer.
      if (error instanceof IssuerAway) return;
      if (error instanceof SigningThreadError || error instanceof ThreadRequestError) {
        await deps.issuers.probe([issuerId as IssuerID]);
      }
      // One issuer's failure does not delay other issuers.
      const pauseMs = Math.min(failedMs * 2 ** times, failedMsMax);
      failing.set(issuerId, { times: times + 1, until: performance.now() + pauseMs });
      count("failed");
      beat.report("publication_failed", `issuer ${issuerId}`);
      log.error({ event: "crl.failed", issuer: issuerId, err: error }, "could not publish a CRL; trying again later");
    }
  }

  /** Returns the pause before the next look, in milliseconds. */
  async function look(): Promise<number> {
    try {
      for (const issuerId of await crls.listDue(db, { at: clock.now(), validityHours })) {
        if (!stopping) await publish(issuerId);
      }
      return lookMs;
    } catch (error) {
      log.warn({ event: "crl.not_looked", err: error }, "could not check whether a CRL is due; trying again");
      return awayMs;
    }
  }

  let looking = Promise.resolve();
  const turn = (): void => {
    looking = look().then((pauseMs) => {
      if (!stopping) timer = setTimeout(turn, pauseMs);
    });
  };
  turn();

  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Registers the metrics of CRLs: publications and failures, and each CRL's validity and number of entries. */
function createCrlMetrics({ db, clock, registry }: PublisherOptions): (outcome: "published" | "failed") => void {
  const publications = new Counter({
    name: "realmpass_crl_publications_total",
    help: "CRLs that this worker published or failed to publish.",
    labelNames: ["outcome"] as const,
    registers: [registry],
  });
  const gauge = (name: string, help: string, of: (crl: crls.CrlState["crl"]) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ["issuer"] as const,
      registers: [registry],
      async collect() {
        const states = await crls.listStates(db, { at: clock.now() }).catch(() => undefined);
        if (states === undefined) return;
        this.reset();
        for (const { issuerId, crl } of states) this.set({ issuer: issuerId }, of(crl));
      },
    });
  };
  gauge(
    "realmpass_crl_this_update_seconds",
    "When the issuer's CRL was made, in seconds since 1970; 0: there is none.",
    (crl) => (crl?.thisUpdate.getTime() ?? 0) / 1000,
  );
  gauge(
    "realmpass_crl_next_update_seconds",
    "Until when the issuer's CRL is valid, in seconds since 1970; 0: there is none.",
    (crl) => (crl?.nextUpdate.getTime() ?? 0) / 1000,
  );
  gauge("realmpass_crl_entries", "Entries of the issuer's CRL.", (crl) => crl?.entries ?? 0);
  return (outcome) => {
    publications.inc({ outcome });
  };
}
