import { foldCharacters } from "./letter-case.ts";
import { checkVisible, text } from "../text.ts";

/**
 * Returns the common form of all spellings of an id: no letter case, Unicode NFC, and no format characters, which old
 * ids can contain. Two ids with the same form belong to one person. The database has the same function, `folded_id`;
 * its column `pairwise_id_folded` is only lower-cased, for searches.
 */
export const foldId = (id: string): string => foldCharacters(id.normalize("NFC")).normalize("NFC");

/** The id of a person who may have been created before format characters (Cf) were refused. */
export const KnownPairwiseID = text(1, 255);

/** The id of a person who may be new: without format characters, which are invisible. */
export const PairwiseID = KnownPairwiseID.superRefine(checkVisible);
