/**
 * Why a cell of a workbook cannot be used, as the failed row reports it. The user sees one text in the sheet; reading
 * anything else would mean guessing which person the row identifies.
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

/** The fault of a row that the spreadsheet hides, if the user leaves hidden rows out. */
export const hiddenRowFault = "The row is hidden in the spreadsheet and was left out.";

export type CellFault = keyof typeof cellFaults;

/** Texts that programs write in place of an id. Errors of formulas and truth values are in English and German. */
const noIds = {
  error:
    /^#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|NAME\?|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|ÜBERLAUF!|CALC!|KALK!|GETTING_DATA|DATEN_ABRUFEN)$/,
  truth: /^(?:TRUE|FALSE|WAHR|FALSCH)$/,
  shortened: /^\d(?:[.,]\d+)?E\+\d+$/,
  decimals: /^\d+[.,]0+$/,
  count: /^\(\d+ (?:rows?|Zeilen?)\)$/,
} as const satisfies Partial<Record<CellFault, RegExp>>;

/** Returns which kind of value a program wrote in place of an id; undefined for any other text. */
export const noIdFault = (text: string): CellFault | undefined =>
  (Object.keys(noIds) as (keyof typeof noIds)[]).find((fault) => noIds[fault].test(text));
