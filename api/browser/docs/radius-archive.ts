import { readdir, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ustar, type ArchivedFile } from "../../../domain/ustar.ts";
import { programFile } from "../../../runtime/program-files.ts";

/** Folders of `docs/radius` that are downloaded together. */
export const radiusArchives = {
  strict: ["common", "strict", "vlans"],
  resilient: ["common", "resilient", "vlans"],
  hostapd: ["hostapd", "resilient"],
  disconnect: ["disconnect"],
} as const satisfies Record<string, readonly string[]>;

export type RadiusArchive = keyof typeof radiusArchives;

/** Packs folders of `docs/radius` for unpacking in `/root`, where the guides expect them. */
export async function packRadius(archive: RadiusArchive, withValues: (text: string) => string): Promise<Buffer> {
  const files = await Promise.all(radiusArchives[archive].map((folder) => filesBelow(`radius/${folder}`, withValues)));
  return promisify(gzip)(ustar(files.flat()));
}

/** Reads all files below a folder of `docs`; `withValues` fills in their placeholders. */
export async function filesBelow(path: string, withValues: (text: string) => string): Promise<ArchivedFile[]> {
  const entries = await readdir(programFile(`docs/${path}`), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<ArchivedFile[]> => {
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(name, withValues);
      const file = programFile(`docs/${name}`);
      const [text, { mode, mtime }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
      const content = new TextEncoder().encode(withValues(text));
      return [{ name, content, isExecutable: (mode & 0o111) !== 0, changedAt: mtime }];
    }),
  );
  return found.flat().sort((one, other) => (one.name < other.name ? -1 : 1));
}
