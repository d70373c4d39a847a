import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";

const packed = new WeakMap<Buffer, Promise<Buffer>>();

/**
 * Compresses parts of content into parts of one gzip member (RFC 1952). Each part is compressed separately and only
 * once, even if it is passed again with other parts: a compressed part ends at a whole octet, where any other part can
 * follow.
 */
export async function gzipParts(parts: readonly Buffer[]): Promise<Buffer[]> {
  const compressed = await Promise.all(parts.map(compress));
  let sum = 0;
  let length = 0;
  for (const part of parts) {
    // zlib may reset the checksum at an empty part.
    if (part.length > 0) sum = crc32(part, sum);
    length += part.length;
  }
  const end = Buffer.alloc(lastBlock.length + 8);
  lastBlock.copy(end);
  end.writeUInt32LE(sum, lastBlock.length);
  end.writeUInt32LE(length % 2 ** 32, lastBlock.length + 4);
  return [memberHeader, ...compressed, end];
}

function compress(part: Buffer): Promise<Buffer> {
  let known = packed.get(part);
  if (known === undefined) {
    known = promisify(deflateRaw)(part, { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_FULL_FLUSH });
    packed.set(part, known);
  }
  return known;
}

/** The header of a gzip member: deflate, no name, no time, unknown system. */
const memberHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** An empty block with fixed codes, marked as the last (RFC 1951 section 3.2.3). */
const lastBlock = Buffer.from([3, 0]);
