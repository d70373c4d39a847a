import { unzipSync } from "fflate/browser";

/** A workbook that would unpack to more is not read. */
export const unpackedBytesMax = 512 * 1024 * 1024;

/** Whether this begins as a zip archive (APPNOTE 4.3.7), as every .xlsx does. */
export const isZip = (bytes: Uint8Array): boolean => [0x50, 0x4b, 3, 4].every((byte, index) => bytes[index] === byte);

/** The unpacked size that an archive declares, in bytes. Unpacks nothing. Throws if it is no archive. */
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
