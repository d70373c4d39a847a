import { unzipSync } from "fflate/browser";

/** Workbooks that would be larger than this when unpacked are not read. */
export const unpackedBytesMax = 512 * 1024 * 1024;

/** Returns true if the bytes begin like a zip archive (APPNOTE 4.3.7), as every .xlsx file does. */
export const isZip = (bytes: Uint8Array): boolean => [0x50, 0x4b, 3, 4].every((byte, index) => bytes[index] === byte);

/**
 * Returns the unpacked size that an archive declares, in bytes. Unpacks nothing. Throws if the bytes are not an
 * archive.
 */
export function unpackedBytes(archive: Uint8Array): number {
  let bytes = 0;
  unzipSync(archive, {
    filter({ originalSize }) {
      bytes += originalSize;
      return false;
    },
  });
  return bytes;
}
