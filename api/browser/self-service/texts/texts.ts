import type { Words } from "../../../pages/texts/texts.ts";
import type { english } from "./english.ts";

/** The texts that every language must have. */
export type Texts = Words<typeof english>;
