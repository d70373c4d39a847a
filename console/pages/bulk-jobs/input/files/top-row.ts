/** A row with its number in the spreadsheet or editor. */
export interface TopRow {
  row: number;
  cells: string[];
}

/** The number of first rows that may contain the headings, and of rows below the headings to show as examples. */
export const headerRowsMax = 20;
export const samplesMax = 5;

/** People do not fill in a table with more columns, and the page could not show all of them. */
export const columnsMax = 256;
