import { crc32, deflateRawSync } from "node:zlib";

/**
 * A cell of a workbook: text, a number as digits, a date, a truth value, or the result of a formula, which may be an
 * error or missing.
 */
export type GivenCell =
  | string
  | { number: string; format?: string; formula?: string }
  | { date: number }
  | { error: string; formula: string }
  | { truth: boolean }
  | { formula: string }
  | null;

/** The first number of formats that a workbook defines itself (ECMA-376 part 1, 18.8.30). */
const ownFormats = 164;

/**
 * Makes a workbook as spreadsheets write it, as far as readers look: shared strings are not used, and dates are a
 * style.
 */
export function givenXlsx(sheets: Readonly<Record<string, readonly (readonly GivenCell[])[]>>): Buffer {
  const names = Object.keys(sheets);
  const cells = Object.values(sheets).flat(2);
  const formats = [
    ...new Set(
      cells.flatMap((cell) => (cell !== null && typeof cell === "object" && "format" in cell ? cell.format : [])),
    ),
  ];
  const styleOf = (format: string | undefined): number => (format === undefined ? 0 : 2 + formats.indexOf(format));
  const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  return zipOf({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${[
      typeOfPart("/xl/workbook.xml", "sheet.main"),
      typeOfPart("/xl/styles.xml", "styles"),
      ...names.map((_, n) => typeOfPart(`/xl/worksheets/sheet${n + 1}.xml`, "worksheet")),
    ].join("")}</Types>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names
      .map(
        (_, n) => `<Relationship Id="rId${n + 1}" Type="${relation}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`,
      )
      .join("")}<Relationship Id="rId99" Type="${relation}/styles" Target="styles.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relation}"><sheets>${names
      .map((name, n) => `<sheet name="${escaped(name)}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`)
      .join("")}</sheets></workbook>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><numFmts>${formats
      .map((format, n) => `<numFmt numFmtId="${ownFormats + n}" formatCode="${escaped(format)}"/>`)
      .join("")}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${formats
      .map((_, n) => `<xf numFmtId="${ownFormats + n}"/>`)
      .join("")}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, n) => [
        `xl/worksheets/sheet${n + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${rows.map((row, index) => rowOf(row, index, styleOf)).join("")}</sheetData></worksheet>`,
      ]),
    ),
  });
}

const typeOfPart = (name: string, kind: string): string =>
  `<Override PartName="${name}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

type StyleOf = (format: string | undefined) => number;

const rowOf = (cells: readonly GivenCell[], index: number, styleOf: StyleOf): string =>
  `<row r="${index + 1}">${cells.map((cell, column) => cellOf(cell, `${letterOf(column)}${index + 1}`, styleOf)).join("")}</row>`;

const letterOf = (column: number): string => String.fromCharCode(65 + column);

function cellOf(cell: GivenCell, place: string, styleOf: StyleOf): string {
  if (cell === null) return "";
  if (typeof cell === "string") return `<c r="${place}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
  if ("date" in cell) return `<c r="${place}" s="1"><v>${cell.date}</v></c>`;
  if ("truth" in cell) return `<c r="${place}" t="b"><v>${cell.truth ? 1 : 0}</v></c>`;
  const formula = cell.formula === undefined ? "" : `<f>${escaped(cell.formula)}</f>`;
  if ("error" in cell) return `<c r="${place}" t="e">${formula}<v>${cell.error}</v></c>`;
  if (!("number" in cell)) return `<c r="${place}">${formula}</c>`;
  return `<c r="${place}" s="${styleOf(cell.format)}">${formula}<v>${cell.number}</v></c>`;
}

/**
 * Makes a workbook whose one sheet, "A", has these rows in XML; if empty, the sheet's part is missing. The workbook's
 * only shared string is "shared".
 */
export function xlsxOfRows(rows: string): Buffer {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  return zipOf({
    "[Content_Types].xml":
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      `<Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>` +
      `<Override PartName="/xl/SharedStrings.xml" ContentType="${type}.sharedStrings+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/></Types>`,
    "xl/_rels/workbook.xml.rels":
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
      `<Relationship Id="rId1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId2" Type="${relation}/sharedStrings" Target="SharedStrings.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relation}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/SharedStrings.xml": `<sst xmlns="${main}" count="1" uniqueCount="1"><si><t>shared</t></si></sst>`,
    ...(rows === ""
      ? {}
      : { "xl/worksheets/sheet1.xml": `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>` }),
  });
}

/** Makes a zip archive (APPNOTE 6.3) of texts, deflated. `sizes` declares sizes that differ from the files'. */
export function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  sizes: Readonly<Record<string, number>> = {},
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(sizes[name] ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), fields, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\u0005\u0006"), end]);
}
