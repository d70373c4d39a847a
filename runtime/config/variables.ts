import { availableParallelism } from "node:os";
import { z } from "zod";
import { RealmDomain } from "../../domain/realm.ts";
import { parseNetworks, parseTrustedProxies } from "./networks.ts";
import {
  databaseParameters,
  isDatabaseUrl,
  isRedisUrl,
  namesSeveralHosts,
  redisParameters,
  unknownParameters,
  type KnownParameters,
} from "./server-url.ts";
import { webAddress } from "./web-address.ts";

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const integer = (min: number, max: number, fallback: number) => wholeNumber(min, max).default(fallback);

/** Returns a schema for a server's URL with one host. */
const oneHost = (server: string, more = "") =>
  z.string().refine((text) => !namesSeveralHosts(text), {
    message: `must name one host: the driver tries no others${more}. ${oneAddress(server)}`,
    abort: true,
  });

const oneAddress = (server: string): string =>
  `Name an address that always leads to the ${server}, such as a virtual IP or HAProxy's`;

/** Refuses parameters that the driver would silently ignore, or use instead of the service's own values. */
const onlyParameters = (known: KnownParameters, remedies: ReadonlyMap<string, string> = new Map()) =>
  z.string().superRefine((text, context) => {
    for (const name of unknownParameters(text, known)) {
      const why = Object.hasOwn(known, name)
        ? `must not have ${name} with this value, which would not be followed`
        : `must not have ${name}, which the driver does not know or the service sets itself`;
      const remedy = remedies.get(name) ?? `Known are ${Object.keys(known).join(", ")}`;
      context.addIssue({ code: "custom", message: `${why}. ${remedy}` });
    }
  });

const postgresUrl = (password: "DATABASE_PASSWORD" | "QUEUE_DATABASE_PASSWORD") =>
  oneHost("primary", " and knows no target_session_attrs")
    .refine(isDatabaseUrl, {
      message: `must be a postgres:// URL; give a password with special characters in ${password}, or percent-encode it`,
      abort: true,
    })
    .pipe(onlyParameters(databaseParameters, new Map([["target_session_attrs", oneAddress("primary")]])));
const redisUrl = oneHost("master")
  .refine(isRedisUrl, {
    message: "must be a redis:// URL; give a password with special characters in REDIS_PASSWORD, or percent-encode it",
    abort: true,
  })
  .pipe(onlyParameters(redisParameters));
const webUrl = webAddress(["http:", "https:"], "must be an absolute http(s) URL");

/** One passphrase per line: the first encrypts, any of them can decrypt. */
const passphrases = z.string().regex(/^.{8,}(\r?\n.{8,})*$/, "must have at least 8 characters, on each of its lines");

/** Returns a schema for a text that `parse` accepts. The value stays a text; the code that uses it parses it again. */
const parsedBy = (parse: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      parse(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  });

/**
 * All variables that the processes read. `used` names the processes: the configuration of a process requests only what
 * the process needs, and the API's contains no issuer key. `.env.example` lists the same variables.
 */
export const variables = {
  DATABASE_URL: {
    schema: postgresUrl("DATABASE_PASSWORD").optional(),
    used: "all",
    url: true,
    about: "Postgres 15 or newer. Not set: `npm start` runs its own in the data directory.",
  },
  DATABASE_PASSWORD: {
    schema: z.string().optional(),
    used: "all",
    secret: true,
    about: "The password for DATABASE_URL, as it is: nothing in it is percent-encoded. Not set: the one in the URL.",
  },
  QUEUE_DATABASE_URL: {
    schema: postgresUrl("QUEUE_DATABASE_PASSWORD").optional(),
    used: "all",
    url: true,
    about:
      "The same database with a login that is a member of realmpass_queue alone, for the queues in Postgres. Not set: DATABASE_URL.",
  },
  QUEUE_DATABASE_PASSWORD: {
    schema: z.string().optional(),
    used: "all",
    secret: true,
    about: "The password for QUEUE_DATABASE_URL, as it is. Not set: the one in the URL.",
  },
  REDIS_URL: {
    schema: redisUrl.optional(),
    used: "all",
    url: true,
    about: "Redis 6.2 or newer with noeviction and append-only persistence. Not set: the queues live in Postgres.",
  },
  REDIS_PASSWORD: {
    schema: z.string().optional(),
    used: "all",
    secret: true,
    about: "The password for REDIS_URL, as it is. Not set: the one in the URL.",
  },
  REALMPASS_DATA_DIRECTORY: {
    schema: z.string().default("data"),
    used: "all",
    about: "Where `npm start` keeps its state, and where processes look for secrets that are not set here.",
  },
  REALMPASS_REALM_DOMAIN: {
    schema: RealmDomain.optional(),
    used: "start",
    about:
      "The domain of the first realm, which is in every certificate and never changes, as `npm start -- --domain`. Not set: demo.example, for a trial.",
  },
  REALMPASS_GENERATE_SECRETS: {
    schema: z.enum(["0", "1"]).default("0"),
    used: "all",
    about:
      "1: a process makes secrets that it misses in its data directory, while the installation has none of the kind. The scripts of a checkout set it.",
  },
  REALMPASS_BOUNDARY: {
    schema: z.enum(["warn", "enforce"]).default("warn"),
    used: "all",
    about:
      "What a process does at its start that could reach more than its role may, in the database or in its data directory: warn, or enforce, which ends it.",
  },
  REALMPASS_LOG_LEVEL: {
    schema: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
    used: "all",
    about: "How much is logged, as JSON lines on standard error.",
  },
  REALMPASS_BASE_URL: {
    schema: webUrl.optional(),
    used: "all",
    about: "The address that clients reach the API under. Not set: http://localhost:PORT.",
  },
  REALMPASS_AUTH_URL: {
    schema: webUrl.optional(),
    used: "api",
    about: "The address of the authorization server. Not set: the base URL.",
  },
  REALMPASS_PUBLICATION_URL: {
    schema: webAddress(["http:"], "must be a plain http:// URL: certificates point to it").optional(),
    used: "worker",
    about:
      "The plain http address that certificates point to for CRL, OCSP and issuer. Not set: the base URL over http.",
  },
  REALMPASS_CRL_VALIDITY_HOURS: {
    schema: integer(1, 8_760, 96),
    used: "worker",
    about: "How long a CRL is valid. A new one comes each quarter of it, and within seconds of a revocation.",
  },
  PORT: { schema: integer(0, 65_535, 3000), used: "api", about: "The port the API listens on." },
  REALMPASS_HOST: {
    schema: z.string().default("127.0.0.1"),
    used: "api",
    about: "The address the API listens on; 0.0.0.0 for every interface.",
  },
  REALMPASS_TRUSTED_PROXIES: {
    schema: parsedBy(parseTrustedProxies).default(""),
    used: "all",
    about:
      "Comma-separated addresses or CIDR ranges whose X-Forwarded-For is trusted; loopback, linklocal and uniquelocal name ranges.",
  },
  REALMPASS_CLIENT_CERTIFICATE_HEADER: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header")
      .optional(),
    used: "api",
    about:
      "The header in which trusted proxies, and they alone, pass a client's certificate on, so that people sign in with profiles: RFC 9440 or URL-encoded PEM. The proxy has to overwrite what clients send.",
  },
  REALMPASS_TLS_PORT: {
    schema: wholeNumber(0, 65_535).optional(),
    used: "api",
    about:
      "The port of a TLS listener of our own that asks for client certificates, so that people sign in with profiles.",
  },
  REALMPASS_TLS_URL: {
    schema: webAddress(["https:"], "must be an https:// URL").optional(),
    used: "api",
    about:
      "The address that clients reach the TLS listener under. Not set: the authorization server's host and the TLS port.",
  },
  REALMPASS_TLS_CERTIFICATE: {
    schema: z
      .string()
      .regex(/-----BEGIN CERTIFICATE-----/, "must be PEM")
      .optional(),
    used: "api",
    about: "The TLS listener's certificate and its chain, as PEM; REALMPASS_TLS_CERTIFICATE_FILE names a file.",
  },
  REALMPASS_TLS_KEY: {
    schema: z
      .string()
      .regex(/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, "must be an unencrypted key as PEM")
      .optional(),
    used: "api",
    secret: true,
    about: "The TLS listener's private key, as PEM; REALMPASS_TLS_KEY_FILE names a file.",
  },
  REALMPASS_METRICS_PORT: {
    schema: integer(0, 65_535, 9464),
    used: "all",
    about: "Prometheus metrics on the metrics host; 0 for any free port.",
  },
  REALMPASS_METRICS_HOST: { schema: z.string().default("127.0.0.1"), used: "all", about: "Where metrics are served." },
  REALMPASS_DATABASE_CONNECTIONS: {
    schema: integer(2, 200, 16),
    used: "all",
    about:
      "Connections to Postgres that one process opens at most; the api has three more: one for notifications, two for lookups.",
  },
  REALMPASS_WAIT_SECONDS: {
    schema: integer(1, 60, 20),
    used: "api",
    about: "How long a creation waits for its worker before it answers 202.",
  },
  REALMPASS_EXPECTED_APIS: {
    schema: integer(1, 1_000, 1),
    used: "api",
    about:
      "How many apis run when all is well, on all machines together. With fewer, doctor, /status and an alert warn.",
  },
  REALMPASS_EXPECTED_WORKERS: { schema: integer(1, 1_000, 1), used: "api", about: "The same of workers." },
  REALMPASS_EXPECTED_RESPONDERS: { schema: integer(1, 1_000, 1), used: "api", about: "The same of responders." },
  REALMPASS_RATE_LIMIT_SERVICE: {
    schema: integer(1, 1_000_000, 1000),
    used: "api",
    about: "Requests per second for one service token, per process.",
  },
  REALMPASS_RATE_LIMIT_USER: {
    schema: integer(1, 1_000_000, 50),
    used: "api",
    about: "Requests per second for one user or guest token, per process.",
  },
  REALMPASS_RATE_LIMIT_REFUSED: {
    schema: integer(1, 1_000_000, 20),
    used: "api",
    about:
      "Answers 401 and 403 per second and address, per process. Beyond it a 403 becomes 429 and a 401 gains Retry-After.",
  },
  REALMPASS_RATE_LIMIT_TOKENS: {
    schema: integer(1, 1_000_000, 300),
    used: "api",
    about:
      "Access tokens per minute for one session or guest account, per process, and a fifteenth of them in one second. A service has no limit per minute, and at least 100 in one second.",
  },
  REALMPASS_LOGO_NETWORKS: {
    schema: parsedBy(parseNetworks).default(""),
    used: "api",
    about:
      "Comma-separated addresses or CIDR ranges that realms' logos may be fetched from beyond the public Internet: those of the campus's own web servers.",
  },
  REALMPASS_UPSTREAM_NETWORKS: {
    schema: parsedBy(parseNetworks).default(""),
    used: "api",
    about:
      "Comma-separated addresses or CIDR ranges of identity providers that the console may name beyond the public Internet. Those that the operator names may be anywhere.",
  },
  REALMPASS_MASTER_KEY: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}(,[A-Za-z0-9_-]{43})*$/, "must be 32 bytes in base64url; several, separated by commas")
      .optional(),
    used: "api",
    secret: true,
    about:
      "Seals token signing keys and guest tokens: the first of several seals, all open. Not set: master-key in the data directory.",
  },
  REALMPASS_OUTPUT_PRIVATE_KEY: {
    schema: z.string().optional(),
    used: "api",
    secret: true,
    about: "JWK that opens outputs, or a JWK Set. Not set: output-private-key.json in the data directory.",
  },
  REALMPASS_OUTPUT_PUBLIC_KEY: {
    schema: z.string().optional(),
    used: "worker",
    about:
      "JWK that outputs are sealed with; its private half is the API's. Not set: output-public-key.json in the data directory.",
  },
  REALMPASS_ISSUER_KEY_PASSPHRASE: {
    schema: passphrases.optional(),
    used: "worker",
    secret: true,
    about:
      "Decrypts issuer keys; several, one to a line, while it is being replaced. Not set: issuer-key-passphrase in the data directory.",
  },
  REALMPASS_AUDIT_KEY: {
    schema: z.string().optional(),
    used: "worker",
    secret: true,
    about:
      "JWK that signs the ends of the audit log's chains, or a JWK Set of which the first signs. Not set: audit-key.json in the data directory.",
  },
  REALMPASS_ROOT_KEY_PASSPHRASE: {
    schema: passphrases.optional(),
    used: "operator",
    secret: true,
    about:
      "Encrypts the keys of new roots; several, one to a line, while it is being replaced. Not set: root-key-passphrase in the data directory.",
  },
  REALMPASS_BACKUP_DIRECTORY: {
    schema: z.string().optional(),
    used: "worker",
    about:
      "Where the dumps of deploy/bin/realmpass-backup are: doctor checks their age, and a worker reports it as a metric. Not set: neither does.",
  },
  REALMPASS_PROFILE_SIGNING_CERTIFICATE: {
    schema: z
      .string()
      .regex(/-----BEGIN CERTIFICATE-----/, "must be PEM")
      .optional(),
    used: "worker",
    about:
      "The certificate, with its chain, that Apple configuration profiles are signed with, as PEM; REALMPASS_PROFILE_SIGNING_CERTIFICATE_FILE names a file. Not set: they are not signed.",
  },
  REALMPASS_PROFILE_SIGNING_KEY: {
    schema: z
      .string()
      .regex(/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, "must be an unencrypted key as PEM")
      .optional(),
    used: "worker",
    secret: true,
    about: "Its private key, as PEM; REALMPASS_PROFILE_SIGNING_KEY_FILE names a file.",
  },
  REALMPASS_OCSP_PORT: {
    schema: integer(0, 65_535, 0),
    used: "responder",
    about: "The port that OCSP is answered on; 0 for any free one, which the api learns from the database.",
  },
  REALMPASS_OCSP_HOST: {
    schema: z.string().default("127.0.0.1"),
    used: "responder",
    about: "The address that the responder listens on; 0.0.0.0 for every interface, when the api runs elsewhere.",
  },
  REALMPASS_OCSP_URL: {
    schema: z
      .string()
      .regex(/^http:\/\/[A-Za-z0-9._:[\]-]{1,255}$/, "must be a plain http:// URL without a path")
      .optional(),
    used: "responder",
    about: "Where the api reaches this responder. Not set: the OCSP host (the machine's name for 0.0.0.0) and port.",
  },
  REALMPASS_RATE_LIMIT_OCSP: {
    schema: integer(1, 1_000_000, 5_000),
    used: "responder",
    about: "OCSP requests per second and address, per process.",
  },
  REALMPASS_SIGNING_THREADS: {
    schema: integer(1, 64, Math.min(availableParallelism(), 4)),
    used: "worker",
    about: "Threads that make keys and sign.",
  },
  REALMPASS_ISSUANCE_CONCURRENCY: {
    schema: integer(1, 1000, 64),
    used: "worker",
    about: "Single issuances that one worker processes at once.",
  },
  REALMPASS_BULK_CONCURRENCY: {
    schema: integer(1, 16, 2),
    used: "worker",
    about: "Chunks of bulk work that one worker processes at once.",
  },
  REALMPASS_RSA_KEY_POOL: {
    schema: integer(0, 100_000, 100),
    used: "worker",
    about: "RSA-2048 keys that one worker keeps ready, made while it has nothing else to do.",
  },
} as const satisfies Record<string, VariableDefinition>;

interface VariableDefinition {
  schema: z.ZodType;
  used: "all" | "start" | "api" | "worker" | "responder" | "operator";
  about: string;
  /** Never shown. */
  secret?: true;
  /** Shown without its password. */
  url?: true;
}

export type Variable = keyof typeof variables;
