/**
 * Why a cell of a workbook is not used, as the failed row reports it. A person sees one text in the sheet; any other
 * reading would be a guess at whom the row means.
 */
export const cellFaults = {
  date: "is a date that the spreadsheet made from the input",
  rounded: "is a number that the spreadsheet rounded",
  shown: "shows another value than it contains",
  error: "is an error of a spreadsheet",
  truth: "is TRUE or FALSE",
  formula: "is a formula without a result",
  blank: "refers to an empty cell",
  shortened: "is a number that the spreadsheet shortened",
  decimals: "is a number with decimal places",
  count: "is the number of rows that a program wrote below them",
} as const;

/** Why a row that the spreadsheet hides and the user leaves out is not used. */
export const hiddenRowFault = "The row is hidden in the spreadsheet and was left out.";

export type CellFault = keyof typeof cellFaults;

/** Texts that programs write in place of an id. Failed formulas and truth values as in English and German. */
const noIds = {
  error:
    /^#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|NAME\?|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|ÜBERLAUF!|CALC!|KALK!|GETTING_DATA|DATEN_ABRUFEN)$/,
  truth: /^(?:TRUE|FALSE|WAHR|FALSCH)$/,
  shortened: /^\d(?:[.,]\d+)?E\+\d+$/,
  decimals: /^\d+[.,]0+$/,
  count: /^\(\d+ (?:rows?|Zeilen?)\)$/,
} as const satisfies Partial<Record<CellFault, RegExp>>;

/** Returns why a text is not an id but something that a program wrote in its place; undefined for an id. */
export const noIdFault = (text: string): CellFault | undefined =>
  (Object.keys(noIds) as (keyof typeof noIds)[]).find((fault) => noIds[fault].test(text));
