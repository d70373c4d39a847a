import { randomUUID } from "node:crypto";
import { BulkJobID, IssuanceID } from "../domain/ids.ts";

/** Draws the id of a new issuance. */
export const drawIssuanceId = (): IssuanceID => IssuanceID.parse(randomUUID());

/** Draws the id of a new bulk job. */
export const drawBulkJobId = (): BulkJobID => BulkJobID.parse(randomUUID());
