/** Where an issuance stands; the last two are final. */
export const issuanceStates = ["queued", "signing", "issued", "failed"] as const;
export type IssuanceState = (typeof issuanceStates)[number];
