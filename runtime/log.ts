import { fstatSync } from "node:fs";
import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

export type Log = Logger;

/** Names of fields whose values never reach a log, up to two levels deep. */
const secretFields = [
  "authorization",
  "cookie",
  "password",
  "client_secret",
  "clientSecret",
  "access_token",
  "refresh_token",
  "guest_token",
  "id_token",
  "code_verifier",
  "token",
  "passphrase",
  "privateKey",
  "data",
];

/** Removes credentials from URLs in a message (a connection string in a driver's error), up to the last `@`. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/\S*@/g, "//[redacted]@");

/** Syslog priorities (RFC 5424 section 6.2.1) for pino's levels, most severe first. */
const priorities: readonly (readonly [from: number, priority: number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];

/** Returns the prefix that gives a line its priority in systemd's journal (sd-daemon(3)), for one of pino's levels. */
export const journalPrefix = (level: number): string => `<${priorities.find(([from]) => level >= from)?.[1] ?? 7}>`;

/**
 * Returns whether standard error goes to systemd's journal: `JOURNAL_STREAM` has its device and inode
 * (systemd.exec(5)).
 */
export function isJournal(stream: string | undefined, fd = 2): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return stream === `${dev}:${ino}`;
}

/** Returns standard error as a destination; each line has a priority if the journal reads it. */
function standardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true });
  if (!isJournal(globalThis.process.env["JOURNAL_STREAM"])) return destination;
  // Pino sets `lastLevel` before each line, because `needsMetadata` is set.
  return {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 30,
    write(line: string) {
      destination.write(journalPrefix(this.lastLevel) + line);
    },
  } as DestinationStream & { lastLevel: number };
}

/**
 * Creates a log of JSON lines on standard error; standard output stays free for output that programs read. Each line
 * has the event and its fields, then a short message for people. In systemd's journal each line has its priority.
 */
export function createLog({ process, level }: { process: string; level: string }): Log {
  return pino(
    {
      level,
      base: { process },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: Error) => {
          const { message, stack, type } = stdSerializers.err(error);
          const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
          return { type, code, message: withoutCredentials(message), stack: withoutCredentials(stack) };
        },
      },
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[redacted]" },
    },
    standardError(),
  );
}
