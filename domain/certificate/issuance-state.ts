/** The states of an issuance; the last two are final. */
export const issuanceStates = ["queued", "signing", "issued", "failed"] as const;
export type IssuanceState = (typeof issuanceStates)[number];
