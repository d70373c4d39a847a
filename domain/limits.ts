/**
 * How much is taken, kept or allowed, each number once. SQL gets them as parameters. `docs/lifetimes.md` lists them, and its
 * test compares both.
 */

/** Enough for every request that is no upload. */
export const bodyBytesMax = 128 * 1024;

/** Room for {@link jobRowsMax} rows with every column filled in. */
export const jobUploadBytesMax = 128 * 1024 * 1024;

/** Rows of one job. */
export const jobRowsMax = 200_000;

/** Unfinished rows of one realm, over all its jobs. */
export const unfinishedRowsMax = 1_000_000;

/** Jobs of one realm that run at the same time; the others are queued. */
export const runningJobsMax = 2;

/** So many people or profiles of a realm, or fewer, go off within an hour without anybody confirming their number. */
export const unconfirmedRemovalsMax = 100;

/** More of them need it where they are a larger share of the realm's active people, or profiles. A realm may have its own share. */
export const unconfirmedShareMax = 0.2;

/**
 * So many profiles and guest accounts of others somebody revokes within an hour whose roles do not let them make bulk jobs;
 * a guest account counts one, whatever it has.
 */
export const revocationsPerHourMax = 20;

/** Serial numbers in one request that revokes. */
export const revokedTogetherMax = 1_000;

/** Characters of a certificate request. */
export const csrLengthMax = 16_384;

/** Items of one page of a list. */
export const pageItemsMax = 1_000;

/** Characters of what is searched for. */
export const searchLengthMax = 256;

/** A guest account, or a service that acts on its own, keeps so many access tokens; no session ends theirs. */
export const tokensOfHolderMax = 1_000;

/** How many hand-overs of an owner may wait, for a device or for Download to be tapped. */
export const waitingHandOversMax = { user: 20, guest: 5_000 } as const;

/** Far above any passphrase; hashing more only costs time. */
export const passwordBytesMax = 1_024;

/** A realm's logo. */
export const logoBytesMax = 256 * 1024;

/** How many certificates of responders an issuer may have that have not ended. */
export const respondersMax = 1_000;

/** So many wrong attempts in so many seconds, from the first one on. */
export interface AttemptLimit {
  points: number;
  seconds: number;
}

/** What may be tried wrongly how often before the answer is to try again later. */
export const attemptLimitsByDefault = {
  passwordOfUser: { points: 10, seconds: 900 },
  passwordsFromAddress: { points: 100, seconds: 900 },
  /** From all networks together, save those that somebody signed in from lately with the right password. */
  passwordsOfUser: { points: 100, seconds: 3_600 },
  secretOfClient: { points: 20, seconds: 60 },
  secretsFromAddress: { points: 200, seconds: 60 },
  tokensFromAddress: { points: 30, seconds: 60 },
} as const satisfies Record<string, AttemptLimit>;
