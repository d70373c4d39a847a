import { randomUUID } from "node:crypto";
import { BulkJobID, IssuanceID } from "../domain/ids.ts";

/** The id of a new issuance. */
export const drawIssuanceId = (): IssuanceID => IssuanceID.parse(randomUUID());

/** The id of a new bulk job. */
export const drawBulkJobId = (): BulkJobID => BulkJobID.parse(randomUUID());
