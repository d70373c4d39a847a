import type { Words } from "../../pages/texts/texts.ts";
import type { english } from "./english.ts";

/** What every language has to say. */
export type Texts = Words<typeof english>;
