/**
 * Limits, each defined only here. SQL receives them as parameters. `docs/reference.md` lists them, and a test compares
 * the list with this file.
 */

/** The largest body of a request that is not an upload. */
export const bodyBytesMax = 128 * 1024;

/** The largest upload for a job: room for {@link jobRowsMax} rows with every column filled in. */
export const jobUploadBytesMax = 128 * 1024 * 1024;

/** The most rows of one job. */
export const jobRowsMax = 200_000;

/** The most unfinished rows of one realm, over all its jobs. */
export const unfinishedRowsMax = 1_000_000;

/** The most jobs of one realm that run at the same time; further jobs are queued. */
export const runningJobsMax = 2;

/**
 * Up to this many people or profiles of a realm may lose access within an hour without confirmation of their number.
 */
export const unconfirmedRemovalsMax = 100;

/**
 * Above {@link unconfirmedRemovalsMax}, a person must confirm a number larger than this share of the realm's active
 * people or profiles. A realm can have its own share; this is the default for new realms.
 */
export const unconfirmedShareMax = 0.2;

/**
 * How many profiles and guest accounts of other people a person may revoke within an hour if their roles do not let
 * them create bulk jobs. A guest account counts once, however many profiles it has.
 */
export const revocationsPerHourMax = 20;

/** The most serial numbers in one revocation request. */
export const revokedTogetherMax = 1_000;

/** The most redirect URIs of one application. */
export const redirectUrisMax = 10;

/** The most static tokens of one application: the current token, and its successor while both are in use. */
export const staticTokensMax = 2;

/** The longest client secret of this service at an identity provider, in bytes. */
export const upstreamSecretBytesMax = 1_024;

/** The most characters of a certificate request. */
export const csrLengthMax = 16_384;

/** Items on one page of a list, including SCIM lists, if the request sets no number. */
export const pageItemsDefault = 100;

/** The most items on one page of a list. */
export const pageItemsMax = 1_000;

/** The most characters of a note on a person. */
export const userNoteLengthMax = 500;

/** The most items on one page of a SCIM list; a request for more gets this many, as in RFC 7644. */
export const scimPageItemsMax = 200;

/** The most operations of one SCIM PATCH. */
export const scimOperationsMax = 100;

/** The most characters of a SCIM filter. */
export const scimFilterLengthMax = 1_000;

/** The most characters of a search. */
export const searchLengthMax = 256;

/**
 * The most access tokens of a guest account, or of a service that acts on its own. No session ends these tokens, so the
 * oldest are removed.
 */
export const tokensOfHolderMax = 1_000;

/** How many hand-overs of an owner may wait for a device, or for a tap on Download. */
export const waitingHandOversMax = { user: 20, guest: 5_000 } as const;

/** How often a person may let an app set up a device within an hour. */
export const appAuthorizationsPerHourMax = 10;

/** The longest body of an app's request for its file, which needs no body. */
export const appFileRequestBytesMax = 1_024;

/** The fewest characters of a password, whether an operator or the user sets it. */
export const passwordLengthMin = 12;

/** The most bytes of a password: far above any passphrase. Hashing more would only cost time. */
export const passwordBytesMax = 1_024;

/** The largest logo of a realm. */
export const logoBytesMax = 256 * 1024;

/** The longest side of an uploaded PNG logo. */
export const logoPixelsMax = 4_096;

/** The most elements of an uploaded SVG logo that a browser may have to draw; an element shown twice counts twice. */
export const logoPartsMax = 100_000;

/** How many unexpired responder certificates an issuer may have. */
export const respondersMax = 1_000;

/** `points` wrong attempts within `seconds`, counted from the first one. */
export interface AttemptLimit {
  points: number;
  seconds: number;
}

/** How many wrong attempts are accepted before the caller must wait. */
export const attemptLimitsByDefault = {
  passwordOfUser: { points: 10, seconds: 900 },
  passwordsFromAddress: { points: 100, seconds: 900 },
  /**
   * Wrong passwords from all networks together, except networks from which the user lately signed in with the right
   * password.
   */
  passwordsOfUser: { points: 100, seconds: 3_600 },
  secretOfClient: { points: 20, seconds: 60 },
  secretsFromAddress: { points: 200, seconds: 60 },
  tokensFromAddress: { points: 30, seconds: 60 },
  /** Wrong codes of all callers together: a code is short enough to guess, given enough attempts. */
  shortCodes: { points: 300, seconds: 60 },
} as const satisfies Record<string, AttemptLimit>;
