/** A row with the number that the spreadsheet or the editor shows for it. */
export interface TopRow {
  row: number;
  cells: string[];
}

/** The first rows that may have the headings, and the rows below one of them that are shown as examples. */
export const headerRowsMax = 20;
export const samplesMax = 5;

/** A table with more columns was not filled in by people, and would be too much to show. */
export const columnsMax = 256;
