import { spawnSync } from "node:child_process";
import { requireTool } from "../run/tools.ts";

/** An XML element as Python's parser reads it. `text` is the text before the first child. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
}

const toJson = `
import json, sys, xml.etree.ElementTree as tree
def plain(element):
    return {"name": element.tag, "attributes": element.attrib, "text": element.text or "",
            "children": [plain(child) for child in element]}
json.dump(plain(tree.fromstring(sys.stdin.buffer.read())), sys.stdout)
`;

/** Files read so far, because several apps read the same file. */
const read = new Map<string, XmlElement>();

/** Returns the root element of a file. Throws if the file is not well-formed. */
export function readXml(file: Buffer): XmlElement {
  const key = file.toString("latin1");
  const root = read.get(key) ?? parse(file);
  read.set(key, root);
  return root;
}

function parse(file: Buffer): XmlElement {
  const { status, stdout, stderr } = spawnSync(requireTool("python3"), ["-I", "-S", "-c", toJson], {
    input: file,
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as XmlElement;
}

/** Returns the elements that a path of names leads to, in the file's order. */
export const elementsAt = (element: XmlElement | undefined, ...path: readonly string[]): XmlElement[] =>
  path.reduce<XmlElement[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    element === undefined ? [] : [element],
  );

/** Returns the text of the first element at a path; undefined if there is none. */
export const textAt = (element: XmlElement | undefined, ...path: readonly string[]): string | undefined =>
  elementsAt(element, ...path)[0]?.text;
