import { pino, stdSerializers, stdTimeFunctions, type Logger } from "pino";

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

/**
 * Creates a log of JSON lines on standard error; standard output stays free for output that programs read. A line is an
 * event with fields, then a short message for people.
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
    pino.destination({ fd: 2, sync: true }),
  );
}
