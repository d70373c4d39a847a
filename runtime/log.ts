import { pino, stdSerializers, stdTimeFunctions, type Logger } from "pino";

export type Log = Logger;

/** Names of fields whose values never reach a log, at any of the places where they occur. */
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

/** A message that can hold a URL with credentials (a connection string in a driver's error) loses them, up to the last `@`. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/\S*@/g, "//[redacted]@");

/**
 * Structured log lines as JSON on standard error, which leaves standard output to what programs read.
 * A line is an event with fields, then a few words for people.
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
