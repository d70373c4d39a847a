import { strFromU8, unzipSync, type Unzipped } from "fflate/browser";

/**
 * What read-excel-file takes from fflate, in place of it: fflate unpacks larger files in workers that it starts from blobs,
 * which the content security policy forbids, and then waits for them without an end. This runs in a worker already.
 */
export { strFromU8, unzipSync };

/** An archive that would take more is not unpacked. */
export const unpackedBytesMax = 512 * 1024 * 1024;

/** Answers what is XML in an archive, the rest of a workbook being pictures. */
export function unzip(archive: Uint8Array, done: (error: Error | null, files: Unzipped) => void): void {
  let bytes = 0;
  let files: Unzipped;
  try {
    files = unzipSync(archive, {
      filter({ name, originalSize }) {
        if (!/\.(?:xml|rels)$/i.test(name)) return false;
        bytes += originalSize;
        if (bytes > unpackedBytesMax) throw new Error("too large");
        return true;
      },
    });
  } catch (error) {
    done(error as Error, {});
    return;
  }
  done(null, files);
}
