import { sql, type Sql } from "./sql.ts";

/**
 * Returns SQL for the byte string at `place`, counted from 1, in `values`. The statement sends all values as one
 * concatenated byte string, because Postgres would receive an array as text, with two digits per octet.
 */
export function bytesAt(values: readonly Uint8Array[], place: Sql): Sql {
  let start = 1;
  const starts = values.map(({ length }) => {
    const begins = start;
    start += length;
    return begins;
  });
  const lengths = values.map(({ length }) => length);
  return sql`substr(${Buffer.concat(values)}::bytea, (${starts}::integer[])[${place}], (${lengths}::integer[])[${place}])`;
}
