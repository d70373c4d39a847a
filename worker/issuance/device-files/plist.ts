import { element, xmlDeclaration, type Xml } from "./xml.ts";

/** A value that a property list can contain. */
export type PlistValue = string | number | boolean | Date | Uint8Array | readonly PlistValue[] | PlistDictionary;
export interface PlistDictionary {
  readonly [key: string]: PlistValue;
}

const documentType =
  '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';

/** Returns an XML property list with this root. Numbers must be whole. */
export const encodePlist = (root: PlistDictionary): string =>
  `${xmlDeclaration}${documentType}${element("plist", { version: "1.0" }, [encode(root)])}\n`;

function encode(value: PlistValue): Xml {
  if (typeof value === "string") return element("string", {}, value);
  if (typeof value === "number") return element("integer", {}, String(value));
  if (typeof value === "boolean") return element(String(value), {}, "");
  if (value instanceof Date) return element("date", {}, `${value.toISOString().slice(0, 19)}Z`);
  if (value instanceof Uint8Array) return element("data", {}, Buffer.from(value).toString("base64"));
  if (isList(value)) return element("array", {}, value.map(encode));
  const entries = Object.entries(value).flatMap(([key, each]) => [element("key", {}, key), encode(each)]);
  return element("dict", {}, entries);
}

const isList = (value: readonly PlistValue[] | PlistDictionary): value is readonly PlistValue[] => Array.isArray(value);
