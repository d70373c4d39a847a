import type { Problem } from "../problems.ts";
import type { english } from "./english.ts";

/** The type of the texts in any language: the same keys, with other words. */
export type Words<Value> = Value extends string
  ? string
  : Value extends (...given: infer Given) => infer Text
    ? (...given: Given) => Text extends string ? string : Text
    : { [Key in keyof Value]: Words<Value[Key]> };

/** The texts that every language must have: all texts that English has, and the texts of each problem. */
export type Texts = Words<typeof english> & { problems: Record<Problem, ProblemTexts> };

interface ProblemTexts {
  title: string;
  /** One sentence about the event. */
  happened: string;
  remedy: string;
}
