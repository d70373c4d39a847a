import type { JWK, JWTPayload } from "jose";
import type { Database } from "../../db/client.ts";
import type { ProfileRequest } from "../../db/operations/acceptance.ts";
import type { RevokedWindow } from "../../db/queries/certificates/revoked.ts";
import type { Job } from "../../db/queries/bulk-job/jobs.ts";
import type { FoundHolder } from "../../db/queries/oauth/access-tokens.ts";
import type { TokenAlgorithm } from "../../db/queries/oauth/token-signing-keys.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { CreationOutput } from "../../domain/certificate-format.ts";
import type { ProfileRefusal } from "../../domain/entitlement.ts";
import type { IssuanceID } from "../../domain/ids.ts";
import type { MasterKeys } from "../../runtime/master-key.ts";
import type { LookForReadiness } from "../../process/readiness.ts";
import type { StatusAskers } from "../../process/status-askers.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Queues } from "../../runtime/queues.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { ExhaustedKeys } from "../http/exhausted-keys.ts";
import type { BodyLimits } from "../http/request-body.ts";
import type { ApiMetrics } from "../http/metrics.ts";
import type { ClientCertificateSettings } from "../http/client-certificate/config.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import type { CollectedIssuance } from "./views/collected-issuance.ts";

/** What the API works with; opened in main.ts and passed to whatever needs it. */
export interface Deps {
  db: Database;
  queues: Pick<Queues, "enqueue" | "enqueueAll">;
  /** Whether this process can serve. */
  readiness: LookForReadiness;
  /** How it stands with the service as a whole, some seconds ago at most. */
  serviceHealth: () => Promise<readonly HealthCheck[]>;
  clock: Clock;
  log: Log;
  metrics: ApiMetrics;
  settlements: Settlements;
  findHolder: FindHolder;
  acceptProfile: AcceptProfile;
  enqueueIssuance: EnqueueIssuance;
  collectIssuance: CollectIssuance;
  openOutput: OpenOutput;
  /** Who watches which bulk job. */
  jobs: JobWatch;
  revokedFeed: RevokedFeed;
  signingKeys: TokenSigningKeys;
  attemptLimits: AttemptLimits;
  /** Hashes of access tokens that were just asked for and that there are none of. */
  unknownTokens: ExhaustedKeys;
  isPassword: PasswordCheck;
  logos: Logos;
  /** Where CRLs are fetched from. */
  crlAskers: Pick<StatusAskers, "note">;
  /** Seals what must be read again, and makes the keys of form tokens. */
  masterKeys: MasterKeys;
  settings: ApiSettings;
}

/** One part of the service as a whole. */
export interface HealthCheck {
  name: string;
  state: "ok" | "warn" | "fail";
  /** For everybody: no host, no count and no id but an issuer's number. Null when all is well. */
  reason: string | null;
  /** Of the processes of a kind that are alive; undefined for all that is no kind of process. */
  versions?: readonly string[];
}

export interface ApiSettings {
  /** The address the API is reached under, without a trailing slash. */
  baseUrl: string;
  /** The address of the authorization server, without a trailing slash. */
  authUrl: string;
  /** Where certificates say that CRLs and issuers are, without a trailing slash. */
  publicationUrl: string;
  /** Addresses and ranges whose X-Forwarded-For is believed, separated by commas. */
  trustedProxies: string;
  /** How long a creation waits for its worker. */
  waitSeconds: number;
  rateLimits: RateLimits;
  /** Where people sign in with profiles over mutual TLS; omitted: nowhere. */
  clientCertificates?: ClientCertificateSettings;
  /** Where the built console lies. Default: where `npm run build` puts it. */
  consoleFolder?: string;
  /** How long bodies may take. */
  bodyLimits?: BodyLimits;
  /** How long a realm's identity provider may take for one answer. Default: 5 s. */
  upstreamTimeoutMs?: number;
  /** Where realms' logos may come from. Default: the public Internet. */
  logos?: PictureSources;
}

export type WaitOutcome = "settled" | "late" | "gone";

/** Notices of one issuance, from the moment it was asked for. */
interface Watch {
  /** Waits until the issuance is settled, the time is up, or the client is gone. Ends the watch. */
  settled(waitMs: number, signal: AbortSignal): Promise<WaitOutcome>;
  /** Looks at the row now, for an issuance that may have been settled before the watch began. */
  checkNow(): void;
  end(): void;
}

/** Who waits for which issuance in this process. */
export interface Settlements {
  /** Begins to take notice. Do it before the work is put on the queue, so that no notice is missed. */
  watch(issuanceId: string): Watch;
  /** Takes a notification: issuance ids, comma-separated. */
  notice: (payload: string) => void;
  /** Reads the rows of everyone who waits: after the listening connection was away, and now and then. */
  recheck: () => void;
  waiting(): number;
  /** Ends every wait as if its time were up: the process stops, and clients ask another one. */
  close(): void;
}

/** Whom the access token with this hash speaks for at this instant; the lookup may be shared with other requests. */
export type FindHolder = (tokenHash: Buffer) => Promise<FoundHolder>;

/**
 * Accepts a request for a user's profile in a transaction that it may share with others: from then on it will be finished.
 * Answers why it is refused; undefined when it is accepted.
 */
export type AcceptProfile = (wanted: ProfileRequest) => Promise<ProfileRefusal | undefined>;

/**
 * Tells the workers of an accepted issuance; it may be told together with others. Never rejects: what could not be told
 * a worker finds. `isNew` is false for one that was told before.
 */
export type EnqueueIssuance = (id: IssuanceID, options: { isNew: boolean }) => Promise<void>;

/** Reads one issuance, marking its output as collected. Undefined when there is no such issuance. */
export type CollectIssuance = (id: string) => Promise<CollectedIssuance | undefined>;

interface SealedOutput {
  issuanceId: string;
  dataKeyId: string;
  wrappedDataKey: Uint8Array;
  sealed: Uint8Array;
}

/**
 * Opens what a worker sealed for the requester; undefined when that was to a key which this process has not. Throws
 * SealedOutputError when it was altered or is another row's.
 */
export type OpenOutput = (sealed: SealedOutput) => CreationOutput | undefined;

/** One who watches a job. */
export interface JobWatcher {
  /**
   * The job once it is another than this watcher has seen, the first time as it stands now; `quiet` when nothing was heard
   * for so long, `over` when there is nothing to wait for: the client or the job is gone, or the process stops.
   */
  next(waitMs: number, signal: AbortSignal): Promise<Job | "quiet" | "over">;
  end(): void;
}

/** Who watches which bulk job in this process. */
export interface JobWatch {
  watch(jobId: string): JobWatcher;
  /** Takes a notification: ids of jobs, comma-separated. */
  notice: (payload: string) => void;
  /** Reads every job that is watched: after the listening connection was away, and now and then. */
  recheck: () => void;
  watching(): number;
  /** Ends every watch: the process stops, and clients go on at another one. */
  close(): void;
}

/** Who waits for revocations in this process. */
export interface RevokedFeed {
  /**
   * Waits until there is a revocation that is newer than `since`, or one that was not there when the wait began, the time is
   * up, or the client is gone. Answers what to read then; `ahead` for a `since` in the future.
   */
  wait(
    asked: { realmId: string; since: Date | undefined },
    waitMs: number,
    signal: AbortSignal,
  ): Promise<RevokedWindow | "ahead">;
  /** Takes a notification, or reads for everyone who waits after the listening connection was away. */
  notice: () => void;
  /** Ends every wait as if its time were up: the process stops. */
  close(): void;
}

/** Whose logo it is, and where it comes from. */
export type LogoOwner = Pick<RealmRow, "id" | "logoUri">;

/** Realms' logos, fetched when somebody asks for them and kept by this process. */
export interface Logos {
  /** The logo; undefined when the realm has none, or it cannot be had. */
  find(realm: LogoOwner): Promise<Picture | undefined>;
  /** Whether there may be one: false when there is none, or there was none to be had a moment ago. */
  mayHave(realm: LogoOwner): boolean;
}

export interface Picture {
  type: string;
  bytes: Buffer;
}

/** Where pictures may come from beyond the public Internet, and how long they may take. */
export interface PictureSources {
  /** Addresses and CIDR ranges, separated by commas. Default: none. */
  networks?: string;
  /** PEM of the authorities that servers' certificates may be from. Default: those that Node trusts. */
  authorities?: string;
  /** For all of it, redirects included. Default: 3 s. */
  timeoutMs?: number;
}

/** Keys that sign tokens; the only signing keys in the API, and never used on a certificate. */
export interface TokenSigningKeys {
  /** A signed JWT (RFC 7519) under the current key of the algorithm. */
  sign(token: { algorithm: TokenAlgorithm; type: string; claims: JWTPayload }): Promise<string>;
  /** The public halves of all keys that valid tokens may be signed with, now or soon. */
  publicKeys(): Promise<JWK[]>;
  /**
   * Reads the keys when that is due, and makes the first ones. Before a transaction that signs: in it, reading them would
   * hold its rows until a second connection is free.
   */
  prepare(): Promise<void>;
  /** The claims of a token that this service signed, expired or not; undefined for any other token. */
  verify(token: string, expected: { algorithm: TokenAlgorithm; type: string }): Promise<JWTPayload | undefined>;
}

/**
 * Whether this is the password of an argon2id hash. Without a hash it is not, after the same work. Throws `unavailable`
 * when too many others wait.
 */
export type PasswordCheck = (password: string, hash: string | null | undefined) => Promise<boolean>;
