import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditPublicKeys } from "../../runtime/keys/audit-key.ts";
import { createFile, drawSecret, makeDirectory, secretFiles } from "../../runtime/keys/data-directory.ts";
import { outputPublicJwks } from "../../runtime/keys/sealed-output.ts";
import { CommandError } from "../../terminal/failure.ts";

/** A file in a directory of secrets, and the part of the secret that the file contains. */
interface Place {
  directory: "postgres" | "redis" | "api" | "worker" | "responder" | "operator";
  file: string;
  part?: (value: string) => string;
}

/** One secret and its places. The first place contains the whole secret. */
interface Placement {
  draw: () => string;
  places: readonly [Place, ...Place[]];
  /** The secret's file in a data directory that all processes share; undefined: no file. */
  shared?: string;
  /** Earlier versions did not have this secret. If a shared directory lacks it, it is created. */
  isLater?: boolean;
}

const drawPassword = (): string => randomBytes(32).toString("base64url");
const databasePassword = "database-password";
const queuePassword = "queue-database-password";
/**
 * The file with the password of the login that owns and migrates the database. It is next to the superuser's password,
 * because no process uses it.
 */
export const ownerPasswordFile = "owner-password";
const redisPassword = "redis-password";
const {
  masterKey,
  outputPrivateKey,
  outputPublicKey,
  issuerKeyPassphrase,
  rootKeyPassphrase,
  auditKey,
  auditPublicKey,
} = secretFiles;

const login = (directory: Place["directory"]): Placement => ({
  draw: drawPassword,
  places: [{ directory, file: databasePassword }],
});

/**
 * The places of each kind of secret. Each process reads its own directory, which contains only what that process needs.
 */
const placements = {
  database: [
    login("postgres"),
    { draw: drawPassword, places: [{ directory: "postgres", file: ownerPasswordFile }] },
    login("api"),
    login("worker"),
    login("responder"),
    login("operator"),
  ],
  "queue-database": [
    {
      draw: drawPassword,
      places: [
        { directory: "api", file: queuePassword },
        { directory: "worker", file: queuePassword },
      ],
    },
  ],
  redis: [
    {
      draw: drawPassword,
      places: [
        { directory: "redis", file: redisPassword },
        { directory: "api", file: redisPassword },
        { directory: "worker", file: redisPassword },
        { directory: "operator", file: redisPassword },
      ],
    },
  ],
  master: [
    {
      draw: drawSecret.masterKey,
      shared: masterKey.file,
      places: [
        { directory: "api", file: masterKey.file },
        { directory: "operator", file: masterKey.file },
      ],
    },
  ],
  output: [
    {
      draw: drawSecret.outputPrivateKey,
      shared: outputPrivateKey.file,
      places: [
        { directory: "api", file: outputPrivateKey.file },
        {
          directory: "worker",
          file: outputPublicKey.file,
          part: (value) => JSON.stringify(outputPublicJwks(value)[0]),
        },
      ],
    },
  ],
  "issuer-key-passphrase": [
    {
      draw: drawSecret.issuerKeyPassphrase,
      shared: issuerKeyPassphrase.file,
      places: [
        { directory: "worker", file: issuerKeyPassphrase.file },
        { directory: "operator", file: issuerKeyPassphrase.file },
      ],
    },
  ],
  "root-key-passphrase": [
    {
      draw: drawSecret.rootKeyPassphrase,
      shared: rootKeyPassphrase.file,
      isLater: true,
      places: [{ directory: "operator", file: rootKeyPassphrase.file }],
    },
  ],
  audit: [
    {
      draw: drawSecret.auditKey,
      shared: auditKey.file,
      places: [
        { directory: "worker", file: auditKey.file },
        { directory: "operator", file: auditPublicKey.file, part: publicAuditKey },
      ],
    },
  ],
} as const satisfies Record<string, readonly Placement[]>;

export type PlacedSecret = keyof typeof placements;
export const placedSecrets = Object.keys(placements) as [PlacedSecret, ...PlacedSecret[]];

function publicAuditKey(value: string): string {
  const keys = auditPublicKeys(value);
  return JSON.stringify(keys.length === 1 ? keys[0] : { keys });
}

/** The written files, and the values of the secrets that are compared with the installation's. */
export interface SecretsWritten {
  /** The new files. */
  files: string[];
  /** The values by kind of secret, only for the requested kinds. */
  compared: Partial<Record<"master" | "output" | "audit", string>>;
}

/**
 * Writes the files (mode 0600) of the named kinds into one directory (mode 0700) for each process. Never overwrites a
 * file, so an interrupted run can be repeated. `from`: a data directory to read the secrets from. Checks everything
 * before writing anything.
 */
export function writeSecrets({
  directory,
  kinds,
  from,
}: {
  directory: string;
  kinds: readonly PlacedSecret[];
  from: string | undefined;
}): SecretsWritten {
  const compared: SecretsWritten["compared"] = {};
  const wanted: { path: string; place: Place; content: string }[] = [];
  for (const kind of kinds) {
    for (const placement of placements[kind] as readonly Placement[]) {
      const value = valueOf(placement, { directory, from });
      if (kind === "master" || kind === "output" || kind === "audit") compared[kind] = value;
      for (const place of placement.places) {
        const path = join(directory, place.directory, place.file);
        const content = contentFor(place, value, from);
        const existing = read(path);
        if (existing !== undefined && existing !== content) {
          const [first] = placement.places;
          throw new CommandError(
            "secret_exists",
            `${path} holds another secret than ${from ?? join(directory, first.directory, first.file)}. Nothing was written.`,
          );
        }
        if (existing === undefined) wanted.push({ path, place, content });
      }
    }
  }
  makeDirectory(directory);
  for (const { path, place, content } of wanted) {
    makeDirectory(join(directory, place.directory));
    createFile(path, () => content);
  }
  return { files: wanted.map(({ path }) => path), compared };
}

/**
 * Returns the secret in the data directory `from`. Without `from`, for a secret that data directories do not contain,
 * and for a later secret that this directory lacks, returns the existing secret or a new secret. Throws if the data
 * directory lacks any other secret.
 */
function valueOf(
  { draw, places: [first], shared, isLater = false }: Placement,
  { directory, from }: { directory: string; from: string | undefined },
): string {
  const existing = read(join(directory, first.directory, first.file));
  if (from === undefined || shared === undefined) return existing ?? draw();
  const path = join(from, shared);
  const kept = read(path);
  if (kept !== undefined) return kept;
  if (isLater) return existing ?? draw();
  throw new CommandError(
    "secret_missing",
    `${path} is not there. Nothing was written; --only names the kinds that ${from} has.`,
  );
}

function contentFor({ part }: Place, value: string, from: string | undefined): string {
  try {
    return part === undefined ? value : part(value);
  } catch (cause) {
    throw new CommandError("secret_unusable", `A key${from === undefined ? "" : ` of ${from}`} cannot be used.`, {
      cause,
    });
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandError("file_unreadable", `Cannot read ${path} (${code}).`);
  }
}
