import type { KeyObject } from "node:crypto";
import type { Database } from "../../db/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Queues } from "../../runtime/queues.ts";
import type { Guesses } from "./attempt-limits.ts";
import type { JobWatch } from "../resources/bulk-job/job-watch.ts";
import type { PictureSources } from "../browser/logo/fetch-picture.ts";
import type { Logos } from "../browser/logo/logos.ts";
import type { ApiMetrics } from "../http/metrics.ts";
import type { TokenSigningKeys } from "../oauth/token-signing-keys.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import type { Settlements } from "../resources/issuance/await-issuance.ts";
import type { CollectIssuance } from "../resources/issuance/collect-issuance.ts";
import type { OpenOutput } from "../resources/issuance/open-output.ts";

/** What the API works with; opened in main.ts and passed to whatever needs it. */
export interface Deps {
  db: Database;
  queues: Pick<Queues, "enqueue" | "enqueueAll" | "ping">;
  clock: Clock;
  log: Log;
  metrics: ApiMetrics;
  settlements: Settlements;
  collectIssuance: CollectIssuance;
  openOutput: OpenOutput;
  /** Who watches which bulk job. */
  jobs: JobWatch;
  signingKeys: TokenSigningKeys;
  guesses: Guesses;
  logos: Logos;
  /** Seals what must be read again, and makes the keys of form tokens. */
  masterKey: KeyObject;
  settings: ApiSettings;
}

export interface ApiSettings {
  /** The address the API is reached under, without a trailing slash. */
  baseUrl: string;
  /** The address of the authorization server, without a trailing slash. */
  authUrl: string;
  /** Addresses and ranges whose X-Forwarded-For is believed, separated by commas. */
  trustedProxies: string;
  /** How long a creation waits for its worker. */
  waitSeconds: number;
  rateLimits: RateLimits;
  /** Where people sign in with profiles over mutual TLS; omitted: nowhere. */
  clientCertificates?: ClientCertificateSettings;
  /** Where the built console lies. Default: where `npm run build` puts it. */
  consoleFolder?: string;
  /** How long a realm's identity provider may take for one answer. Default: 5 s. */
  upstreamTimeoutMs?: number;
  /** Where realms' logos may come from. Default: the public Internet. */
  logos?: PictureSources;
}

export interface ClientCertificateSettings {
  /** The header in which a trusted proxy passes a client's certificate on. */
  header?: string;
  /** The address of our own TLS listener, without a trailing slash. */
  listenerUrl?: string;
}
