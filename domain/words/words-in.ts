import { englishWords } from "./english.ts";
import { germanWords } from "./german.ts";
import { textsIn } from "./language.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Returns the words of a language. */
export const wordsIn = textsIn<Vocabulary>({ en: englishWords, de: germanWords });
