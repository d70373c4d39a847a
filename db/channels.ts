/** The channels of NOTIFY, for who sends and who listens. The trigger of a migration sends on {@link revokedChannel}. */

/** Every change of a bulk job: its id, or several, separated by commas. */
export const jobProgressChannel = "job_progress";

/** The payload is the ids of issuances that have just settled, separated by commas. */
export const settledChannel = "issuance_settled";

/** Something was revoked, or has ended. */
export const revokedChannel = "revoked";
