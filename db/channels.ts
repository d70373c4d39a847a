/** The channels of NOTIFY, for senders and listeners. A trigger in a migration sends on {@link revokedChannel}. */

/** Changed bulk jobs. The payload is the job's id, or several ids separated by commas. */
export const jobProgressChannel = "job_progress";

/** Settled issuances. The payload is their ids, separated by commas. */
export const settledChannel = "issuance_settled";

/** Revoked certificates. The payload is empty. */
export const revokedChannel = "revoked";
