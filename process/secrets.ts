import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/client.ts";
import * as secrets from "../db/operations/secrets.ts";
import type { SecretsConfig } from "../db/operations/secrets.ts";
import { DatabaseUnavailable } from "../db/outage.ts";
import * as installationSecrets from "../db/queries/secrets/installation-secrets.ts";
import type { Clock } from "../runtime/clock.ts";
import { ConfigError } from "../runtime/config/config.ts";
import type { DrawnSecret } from "../runtime/keys/data-directory.ts";
import type { HeldSecret } from "../runtime/keys/held-secret.ts";
import type { Log } from "../runtime/log.ts";
import type { Variable } from "../runtime/config/variables.ts";

/** The secrets of one process, and their comparison with the installation's. */
export interface ProcessSecrets {
  /**
   * Reads required secrets. If one is missing, makes it if REALMPASS_GENERATE_SECRETS allows and it is the
   * installation's first, else throws a ConfigError. Waits while the database is unavailable.
   */
  read<Name extends DrawnSecret>(names: readonly Name[]): Promise<Record<Name, string>>;
  /**
   * Returns the public output key: from its variable or file, else the installation's. Waits until the installation has
   * an output key.
   */
  readOutputPublicKey(): Promise<string>;
  /**
   * Throws a ConfigError if a secret is not the installation's; records a secret that is the installation's first of
   * its kind. Waits while the database is unavailable.
   */
  requireMatching(held: readonly HeldSecret[]): Promise<void>;
  /**
   * Compares again the secrets that {@link requireMatching} accepted. Returns the variables whose secret is no longer
   * the installation's, and logs those that were not in the previous result.
   */
  findMismatches(): Promise<Variable[]>;
  /** The last result of {@link findMismatches}; undefined before the first comparison. */
  lastMismatches(): readonly Variable[] | undefined;
}

const pauseMs = 1_000;

export function processSecrets({
  db,
  config,
  clock,
  log,
}: {
  db: Database;
  config: SecretsConfig;
  clock: Clock;
  log: Log;
}): ProcessSecrets {
  const answered = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        if (attempt === 0) log.warn({ event: "database.awaited", err: error }, "waiting for the database");
        await pause(pauseMs);
      }
    }
  };

  const required: HeldSecret[] = [];
  let last: readonly Variable[] | undefined;

  const logMismatch = (variable: Variable): void => {
    log.error({ event: "secret.mismatch", variable }, secrets.mismatchOf(variable));
  };

  return {
    read: (names) => answered(() => secrets.readSecrets(db, config, names)),

    async readOutputPublicKey() {
      const own = secrets.findSecret(config, "outputPublicKey");
      if (own !== undefined) return own;
      for (let attempt = 0; ; attempt++) {
        const key = await answered(() => installationSecrets.findOutputKey(db));
        if (key !== undefined) return JSON.stringify(key.publicJwk);
        if (attempt === 0)
          log.warn({ event: "output_key.awaited" }, "waiting for the first api to record the output key");
        await pause(pauseMs);
      }
    },

    async requireMatching(held) {
      const mismatches = await answered(() => secrets.compareSecrets(db, held, { at: clock.now() }));
      mismatches.forEach(logMismatch);
      if (mismatches.length > 0) throw new ConfigError(mismatches.map(secrets.mismatchOf));
      required.push(...held);
    },

    async findMismatches() {
      const mismatches = await secrets.findMismatches(db, required);
      mismatches.filter((variable) => last?.includes(variable) !== true).forEach(logMismatch);
      last = mismatches;
      return mismatches;
    },

    lastMismatches: () => last,
  };
}
