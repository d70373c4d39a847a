import type { CertificateAuthority } from "../../worker/keys/ceremony.ts";
import { fingerprintOf, listRoots, readRoot, type RootFiles } from "./ceremony-directory.ts";
import type { Context } from "../context/context.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";

export interface RootChoice {
  realm: string;
  /** The values of `--root-key` and `--root-certificate`. */
  given: { rootKey: string | undefined; rootCertificate: string | undefined };
  /** The fingerprints of the acceptable roots; undefined: any root. */
  expected?: readonly string[] | undefined;
}

/** Returns the root to use: from the files that the operator named, else from the ceremony directory. */
export function chooseRoot({ realm, given, expected }: RootChoice, context: Context): CertificateAuthority {
  const named = namedFiles(given);
  if (named !== undefined) {
    const root = readRoot(named);
    if (expected?.includes(fingerprintOf(root.certificate)) === false) {
      throw new CommandError(
        "root_unusable",
        `${named.certificate} is not the root of realm ${realm}, whose fingerprint is ${expected.join(" or ")}.`,
      );
    }
    return root;
  }

  const directory = context.dataDirectory().ceremony;
  const roots = listRoots({ directory, realm })
    .map(readRoot)
    .filter(({ certificate }) => expected?.includes(fingerprintOf(certificate)) !== false);
  if (roots.length > 1) {
    throw usageError(
      `${directory} holds several roots of realm ${realm}; choose one with --root-key and --root-certificate.`,
    );
  }
  const [root] = roots;
  if (root === undefined) {
    throw new CommandError(
      "no_root",
      `The root key of realm ${realm} is not in ${directory}. Bring it back from where it is kept and name it with ` +
        "--root-key FILE and --root-certificate FILE.",
    );
  }
  return root;
}

function namedFiles({ rootKey, rootCertificate }: RootChoice["given"]): RootFiles | undefined {
  if (rootKey === undefined && rootCertificate === undefined) return undefined;
  if (rootKey === undefined || rootCertificate === undefined) {
    throw usageError("--root-key and --root-certificate go together.");
  }
  return { key: rootKey, certificate: rootCertificate };
}
