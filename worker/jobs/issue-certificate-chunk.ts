import type { Database } from "../../db/client.ts";
import { unsettledOfBatch } from "../../db/queries/issuance-work.ts";
import { issueCertificateChunk as definition } from "../../domain/jobs/issue-certificate-chunk.ts";
import type { IssuanceOutcome } from "../issuance.ts";
import { processor, TryAgain } from "../processor.ts";

/** Issuances that are settled together. Small enough that interactive work gets its turn on the signing threads. */
const sliceSize = 64;

/** The issuances of one chunk of a batch that nobody has settled yet. */
export const issueCertificateChunk = ({
  db,
  issueAll,
}: {
  db: Database;
  issueAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, IssuanceOutcome>>;
}) =>
  processor(definition, async (chunk) => {
    const ids = await unsettledOfBatch(db, chunk);
    const slices = Array.from({ length: Math.ceil(ids.length / sliceSize) }, (_, slice) =>
      ids.slice(slice * sliceSize, (slice + 1) * sliceSize),
    );
    let released = 0;
    for (const slice of slices) {
      const outcomes = await issueAll(slice);
      released += [...outcomes.values()].filter((outcome) => outcome === "released").length;
    }
    if (released > 0) throw new TryAgain(`${released} issuances went back to the queue`);
  });
