/**
 * Lifetimes, each defined only here. SQL receives them as parameters. `docs/reference.md` lists them, and a test
 * compares the list with this file. Timeouts between components are in `ocsp-waits.ts` and in the component that waits.
 * Lifetimes that the operator sets, such as a CRL's, have their defaults in `runtime/config/variables.ts`.
 */

/** How long an access token of a user or a service is valid. */
export const accessTokenSeconds = 30 * 60;

/**
 * How long an authorization code is valid: clients redeem it immediately or never (RFC 6749 section 4.1.2 allows ten
 * minutes).
 */
export const authorizationCodeSeconds = 60;

/** A session whose tokens can be refreshed ends after this time without use. */
export const sessionIdleDays = 30;

/** The longest a session lasts, used or not. */
export const sessionDaysMax = 90;

/** A session without `offline_access` ends after this time; its tokens cannot be refreshed. */
export const sessionWithoutRefreshHours = 24;

/** How long a browser stays signed in, used or not. */
export const browserLoginHours = 12;

/** An unused console session ends after this time. */
export const consoleIdleMinutes = 60;

/** A sign-in through an identity provider, or to the console, must finish within this time. */
export const signInAttemptSeconds = 10 * 60;

/** A sign-in that is being set up in the console is kept this long after its last change. */
export const signInDraftHours = 24;

/**
 * Within this time a test sign-in must finish, and a draft that passed must be put into use. The test's report is kept
 * as long.
 */
export const signInTestHours = 1;

export const signInLinkMinutes = 15;

/** The longest time that an application's old secret stays valid alongside its new one. */
export const secretOverlapHoursMax = 24;

/** A network counts as a user's own for this long after they signed in from it with the right password. */
export const ownNetworkDays = 14;

/** How long an idempotency key is remembered. */
export const idempotencyKeyHours = 24;

/** How long a device has to claim a hand-over by its link or short code. */
export const handOverMinutes = 20;

/** How long the browser that claimed a hand-over may wait before it asks for the profile. */
export const handOverClaimMinutes = 60;

/**
 * How long the file of a hand-over can be fetched: from the first fetch or, before a fetch, from when the file was
 * made. A profile whose file was not fetched within this time is revoked.
 */
export const handOverFileMinutes = 30;

/** A browser that claimed a hand-over is remembered for this long: longer than the claim and its file last together. */
export const recipientSeconds = 3 * 60 * 60;

/** An ended hand-over is remembered for this long, so its page can show that the hand-over was used or is too old. */
export const endedHandOverHours = 24;

/** Within this time an app can fetch its file with the same token any number of times. */
export const appTokenMinutes = 30;

/** An app can fetch its file only within this time: the lifetimes of its code and its token together. */
export const appAuthorizationMinutes = 31;

/** A device is recognized for this long after an app set it up. */
export const knownDeviceDays = 400;

/**
 * The output of a single issuance is erased this long after it was first collected; the file of a hand-over is kept
 * longer, see {@link handOverFileMinutes}.
 */
export const collectedOutputMinutes = 10;

/** The output of a single issuance is erased this long after it was made, collected or not. */
export const uncollectedOutputHours = 24;

/** The output of a job's issuances is erased this long after the job has finished. */
export const jobOutputHours = 24;

/** A finished job is kept this long. Until then an offboarding can be undone. */
export const finishedJobDays = 90;

/** An upload that has been silent for this long counts as broken off: its process ended without removing it. */
export const silentUploadMinutes = 10;

/** A job may be scheduled up to this many days ahead. */
export const scheduledDaysMax = 90;

/** The longest grace period: devices of offboarded people may stay on the network for this many more days. */
export const graceDaysMax = 30;

/** A profile can be renewed from this many days before its end. */
export const renewalDays = 30;

/** A replaced profile is normally revoked this long after the file of its successor was first sent. */
export const replacedHours = 24;

/**
 * A replaced profile is revoked at the latest this long after the file of its successor was first sent. This longer
 * time applies if the network has since asked only about the replaced profile, and the owner's limit has room for the
 * replaced profile and its successor.
 */
export const replacedDaysMax = 7;

/** A realm's set-up counts as finished this long after its first profile of a person. */
export const setUpFinishedDays = 30;

/** The counts of requests by each RADIUS server are kept for this many days. */
export const statusCountDays = 35;

/** The counts of requests by each application are kept for this many days. */
export const requestCountDays = 14;

/** The shortest time between two publications of an issuer's CRL. */
export const crlIntervalSecondsMin = 5;

/** A new CRL is published after a revocation, or once this share of the current CRL's validity has passed. */
export const crlRenewalShare = 0.25;

/** A CRL is reported as overdue once this share of its validity has passed. */
export const crlOverdueShare = 0.5;

/** How long a responder's certificate is valid. It cannot be revoked, so a stolen key works this long. */
export const responderCertificateHours = 72;

/** How long the CRL of a root is valid: long, because an operator signs it by hand with the root's key. */
export const rootCrlDays = 365;

/**
 * How far the clocks of devices, RADIUS servers and validators may be off in either direction: certificates, CRLs and
 * OCSP answers are backdated by this much, and an OCSP answer is valid for at least this much longer.
 */
export const clockRoomMinutes = 5;

/**
 * How long an OCSP answer about a server's certificate is valid: servers staple it (RFC 9190 section 5.4), and ask
 * again every five minutes to an hour. Answers about devices are valid for {@link clockRoomMinutes}.
 */
export const stapledAnswerMinutes = 60;

/**
 * How long a cache may repeat an OCSP answer to a request without a nonce. Answers are made on request, so a revocation
 * shows at most this late.
 */
export const ocspCacheSeconds = 2;
