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
} as const;

export type CellFault = keyof typeof cellFaults;

/** Failed formulas, as spreadsheets show them in English and German, and truth values: none of them is an id. */
const noId =
  /^(?:#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|NAME\?|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|ÜBERLAUF!|CALC!|KALK!|GETTING_DATA|DATEN_ABRUFEN)|TRUE|FALSE|WAHR|FALSCH)$/;

/** Returns why a text is not an id but something that a spreadsheet wrote in its place; undefined for an id. */
export const noIdFault = (text: string): "error" | "truth" | undefined =>
  noId.test(text) ? (text.startsWith("#") ? "error" : "truth") : undefined;
