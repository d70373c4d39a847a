/**
 * How long things last, each number once. SQL gets them as parameters. `docs/lifetimes.md` lists them, and its test compares
 * both. How long components wait for one another is in `ocsp-waits.ts` and beside what waits.
 */

/** An access token of a user or a service. */
export const accessTokenSeconds = 30 * 60;

/** Codes are redeemed at once or never (RFC 6749 section 4.1.2 allows ten minutes). */
export const authorizationCodeSeconds = 60;

/** A session that is not used for this long has ended, unless its tokens cannot be refreshed anyway. */
export const sessionIdleDays = 30;

/** The longest a session lasts, used or not. */
export const sessionDaysMax = 90;

/** How long somebody stays signed in to a browser, used or not. */
export const browserLoginHours = 12;

/** A console session that nobody uses for this long has ended. */
export const consoleIdleMinutes = 60;

/** A sign-in that goes through an identity provider, or to the console, is finished within this time. */
export const signInAttemptSeconds = 10 * 60;

export const signInLinkMinutes = 15;

/** A network from which somebody signed in with the right password is known as theirs for this long. */
export const ownNetworkDays = 14;

/** How long a key is remembered. */
export const idempotencyKeyHours = 24;

/** How long a device has to claim a hand-over by its link. */
export const handOverMinutes = 10;

/** How long the browser that claimed a hand-over has until it asks for the profile. */
export const handOverClaimMinutes = 60;

/** How long the file of a hand-over can be fetched: from the first time, before that from when it was made. */
export const handOverFileMinutes = 30;

/** A browser that claimed a hand-over is known for this long: longer than the claim and its file last together. */
export const recipientSeconds = 3 * 60 * 60;

/** A hand-over that has ended is remembered for this long, so that its page can say that it was used or is too old. */
export const endedHandOverHours = 24;

/** Output is erased this long after it was first collected. */
export const collectedOutputMinutes = 10;

/** Output that nobody collected is erased after this long. */
export const uncollectedOutputHours = 24;

/** The output of what a job issued is erased this long after the job has finished. */
export const jobOutputHours = 24;

/** A finished job is kept this long, and can be undone. */
export const finishedJobDays = 90;

/** An upload that has been silent for this long has broken off, and nobody was there to take it back. */
export const silentUploadMinutes = 10;

/** A job may be scheduled for so many days ahead. */
export const scheduledDaysMax = 90;

/** Devices of people who are offboarded may stay on the network for so many days more. */
export const graceDaysMax = 30;

/** A profile can be renewed from so long before its end. */
export const renewalDays = 30;

/** For so long a profile and its successor may both be active although the owner's limit has no room for both. */
export const renewalHoursMax = 24;

/** So long after the realm's first profile of a person its set-up counts as finished. */
export const setUpFinishedDays = 30;

/** A publication of a CRL follows another of the same issuer after this long at the soonest. */
export const crlIntervalSecondsMin = 5;

/** How long a responder's certificate is valid. It cannot be revoked, so this is how long a stolen key would be of use. */
export const responderCertificateHours = 72;
