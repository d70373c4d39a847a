/** The channels of NOTIFY, for senders and listeners. The trigger of a migration sends on {@link revokedChannel}. */

/** Every change of a bulk job. The payload is its id, or several ids separated by commas. */
export const jobProgressChannel = "job_progress";

/** Settled issuances. The payload is their ids, separated by commas. */
export const settledChannel = "issuance_settled";

/** Something was revoked, or has ended. */
export const revokedChannel = "revoked";
