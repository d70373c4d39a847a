import type { ExpectedProcesses } from "../../runtime/config/expected-processes.ts";
import type { JWK, JWTPayload } from "jose";
import type { Database } from "../../db/client.ts";
import type { ProfileRequest } from "../../db/operations/acceptance.ts";
import type { RevokedWindow } from "../../db/queries/certificates/revoked.ts";
import type { Job } from "../../db/queries/bulk-job/jobs.ts";
import type { FoundHolder } from "../../db/queries/oauth/access-tokens.ts";
import type { TokenAlgorithm } from "../../db/queries/oauth/token-signing-keys.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { FoundProvider } from "../../db/queries/sign-in/sign-in-drafts.ts";
import type { CreationOutput } from "../../domain/certificate/format.ts";
import type { ProfileRefusal } from "../../domain/certificate/entitlement.ts";
import type { IssuanceID } from "../../domain/ids.ts";
import type { SignInCheck } from "../../domain/people/sign-in-checks.ts";
import type { MasterKeys } from "../../runtime/keys/master-key.ts";
import type { LookForReadiness } from "../../process/readiness.ts";
import type { StatusAskers } from "../../process/status-askers.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Queues } from "../../runtime/queue/queues.ts";
import type { AttemptCounter } from "./attempt-counter.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { ExhaustedKeys } from "../http/exhausted-keys.ts";
import type { BodyLimits } from "../http/request-body.ts";
import type { ApiMetrics } from "../http/metrics.ts";
import type { ClientCertificateSettings } from "../http/client-certificate/config.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import type { CollectedIssuance } from "./views/collected-issuance.ts";

/** The API's dependencies, opened in main.ts and passed to the code that needs them. */
export interface Deps {
  db: Database;
  queues: Pick<Queues, "enqueue" | "enqueueAll">;
  /** Whether this process can serve. */
  readiness: LookForReadiness;
  /** The health of the whole service, a few seconds old at most. */
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
  /** The watchers of bulk jobs. */
  jobs: JobWatch;
  revokedFeed: RevokedFeed;
  signingKeys: TokenSigningKeys;
  attemptCounter: AttemptCounter;
  /** Hashes of access tokens recently found to be unknown. */
  unknownTokens: ExhaustedKeys;
  isPassword: PasswordCheck;
  logos: Logos;
  checkProvider: CheckProvider;
  /** Counts the responses to applications. */
  requestCounts: Pick<RequestCounts, "note">;
  /** Notes the addresses that fetch CRLs. */
  crlAskers: Pick<StatusAskers, "note">;
  /** Seals stored secrets. Other keys, such as those of form tokens, are derived from it. */
  masterKeys: MasterKeys;
  settings: ApiSettings;
}

/** One part of the service's health. */
export interface HealthCheck {
  name: string;
  state: "ok" | "warn" | "fail";
  /** Public: no host, no count and no id except an issuer's number. Null if all is well. */
  reason: string | null;
  /** For a kind of process, the versions of its running processes; undefined for any other part. */
  versions?: readonly string[];
}

export interface ApiSettings {
  /** The API's address, without a trailing slash. */
  baseUrl: string;
  /** The address of the authorization server, without a trailing slash. */
  authUrl: string;
  /** The base of the CRLs' and issuers' addresses in certificates, without a trailing slash. */
  publicationUrl: string;
  /** Addresses and ranges whose X-Forwarded-For is trusted, separated by commas. */
  trustedProxies: string;
  /** How long a request that creates something waits for its worker. */
  waitSeconds: number;
  /** How many processes of each kind run when all is well. Default: one. */
  expected?: ExpectedProcesses;
  rateLimits: RateLimits;
  /** Where users sign in with profiles over mutual TLS; omitted: nowhere. */
  clientCertificates?: ClientCertificateSettings;
  /** The folder of the built console. Default: where `npm run build` puts it. */
  consoleFolder?: string;
  /** How long bodies may take. */
  bodyLimits?: BodyLimits;
  /** The timeout for one response of a realm's identity provider. Default: 5 s. */
  upstreamTimeoutMs?: number;
  /** Addresses and ranges of identity providers that the console may name beyond the public Internet. Default: none. */
  upstreamNetworks?: string;
  /** How often the event stream of a bulk job sends a comment to show that it is alive. Default: every 15 s. */
  jobCommentMs?: number;
  /** Permitted sources of realms' logos. Default: the public Internet. */
  logos?: PictureSources;
}

export type WaitOutcome = "settled" | "late" | "gone";

/** A wait for one issuance. */
interface Watch {
  /** Waits until the issuance is settled, the time is up, or the client disconnects; then ends the watch. */
  settled(waitMs: number, signal: AbortSignal): Promise<WaitOutcome>;
  /** Reads the row now; for an issuance that may have been settled before the watch began. */
  checkNow(): void;
  end(): void;
}

/** The waits for issuances in this process. */
export interface Settlements {
  /** Begins a watch. Call it before the work is enqueued, or a notification may be missed. */
  watch(issuanceId: string): Watch;
  /** Handles a notification: issuance ids, comma-separated. */
  notice: (payload: string) => void;
  /** Reads the rows of all waits. Called periodically, and after the listening connection was lost. */
  recheck: () => void;
  waiting(): number;
  /** Ends every wait as if its time were up. Called when the process stops; clients then ask another process. */
  close(): void;
}

/** Returns the holder of the access token with this hash, as of now; requests may share the look-up. */
export type FindHolder = (tokenHash: Buffer) => Promise<FoundHolder>;

/**
 * Accepts a request for a user's profile, in a transaction that it may share with others; an accepted request will be
 * finished. Returns the reason of a refusal; undefined if accepted.
 */
export type AcceptProfile = (wanted: ProfileRequest) => Promise<ProfileRefusal | undefined>;

/**
 * Enqueues an accepted issuance for the workers, possibly together with others. Never rejects: workers find what could
 * not be enqueued. `isNew` is false if it was enqueued before.
 */
export type EnqueueIssuance = (id: IssuanceID, options: { isNew: boolean }) => Promise<void>;

/** Reads one issuance and marks its output as collected. Undefined if there is no such issuance. */
export type CollectIssuance = (id: string) => Promise<CollectedIssuance | undefined>;

interface SealedOutput {
  issuanceId: string;
  dataKeyId: string;
  wrappedDataKey: Uint8Array;
  sealed: Uint8Array;
}

/**
 * Opens what a worker sealed for the requester; undefined if this process does not have the key. Throws
 * SealedOutputError if the sealed output was altered or belongs to another row.
 */
export type OpenOutput = (sealed: SealedOutput) => CreationOutput | undefined;

/** A watcher of one job. */
export interface JobWatcher {
  /**
   * Returns the job as read after this watcher was created, and from then on each time it has changed since the last
   * return; `quiet` if nothing changes within `waitMs`; `over` if the client or the job is gone, or the process stops.
   */
  next(waitMs: number, signal: AbortSignal): Promise<Job | "quiet" | "over">;
  end(): void;
}

/** The watchers of bulk jobs in this process. */
export interface JobWatch {
  watch(jobId: string): JobWatcher;
  /** Handles a notification: ids of jobs, comma-separated. */
  notice: (payload: string) => void;
  /** Reads every watched job. Called periodically, and after the listening connection was lost. */
  recheck: () => void;
  watching(): number;
  /** Ends every watch. Called when the process stops; clients then continue at another process. */
  close(): void;
}

/** The waits for revocations in this process. */
export interface RevokedFeed {
  /**
   * Waits until there is a revocation newer than `since` or one added after the wait began, until the time is up, or
   * until the client disconnects. Returns what to read next; `ahead` for a `since` in the future.
   */
  wait(
    asked: { realmId: string; since: Date | undefined },
    waitMs: number,
    signal: AbortSignal,
  ): Promise<RevokedWindow | "ahead">;
  /** Reads for all waits. Called for a notification, and after the listening connection was lost. */
  notice: () => void;
  /** Ends every wait as if its time were up. Called when the process stops. */
  close(): void;
}

/** A realm with the address of its logo and its uploaded logo, which takes precedence. */
export type LogoOwner = Pick<RealmRow, "id" | "logoUri" | "uploadedLogo">;

/** Realms' logos, uploaded or fetched, read when first needed and cached by this process. */
export interface Logos {
  /** Returns the realm's logo; undefined for a realm without a logo, or if the logo cannot be fetched. */
  find(realm: LogoOwner): Promise<Picture | undefined>;
  /** Returns false if the realm has no logo, or if no picture could be read lately. */
  mayHave(realm: LogoOwner): boolean;
}

export interface Picture {
  type: string;
  bytes: Buffer;
}

/** Sources of pictures beyond the public Internet, and their timeout. */
export interface PictureSources {
  /** Addresses and CIDR ranges, separated by commas. Default: none. */
  networks?: string;
  /** PEM of the authorities whose server certificates are trusted. Default: Node's. */
  authorities?: string;
  /** For the whole fetch, redirects included. Default: 3 s. */
  timeoutMs?: number;
}

/**
 * Reads an identity provider's own documents under the console's network rule. Returns what it found, or why people
 * could not sign in through the provider.
 */
export type CheckProvider = (issuer: string) => Promise<{ found: FoundProvider } | { fault: SignInCheck }>;

/** The keys that sign tokens. They are the API's only signing keys, and never sign a certificate. */
export interface TokenSigningKeys {
  /** Returns a JWT (RFC 7519) signed with the current key of the algorithm. */
  sign(token: { algorithm: TokenAlgorithm; type: string; claims: JWTPayload }): Promise<string>;
  /** Returns the public halves of all keys that verify valid tokens, or soon will. */
  publicKeys(): Promise<JWK[]>;
  /**
   * Reads the keys if that is due, and creates the first ones. Call it before a transaction that signs: inside, reading
   * the keys would hold the transaction's row locks until a second connection is free.
   */
  prepare(): Promise<void>;
  /** Returns the claims of a token that this service signed, expired or not; undefined for any other token. */
  verify(token: string, expected: { algorithm: TokenAlgorithm; type: string }): Promise<JWTPayload | undefined>;
}

/**
 * Returns whether the password matches the argon2id hash. Without a hash it returns false after the same work. Throws
 * `unavailable` if too many others wait.
 */
export type PasswordCheck = (password: string, hash: string | null | undefined) => Promise<boolean>;
