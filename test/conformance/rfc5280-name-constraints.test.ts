import { spawnSync } from "node:child_process";
import { webcrypto } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nameConstraintsForms, type NameConstraintsForm } from "../../domain/certificate/certificate-profile.ts";
import { systemClock } from "../../runtime/clock.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../worker/keys/ceremony.ts";
import { decryptKey } from "../../worker/keys/encrypted-key.ts";
import { pem } from "../../pki/pem.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "../../pki/x509.ts";
import { testPassphrase } from "../support/given/issuing.ts";
import { describeWithTool, requireTool } from "../support/run/tools.ts";
import { testKeyCost } from "../support/given/hierarchy/test-hierarchy.ts";

/**
 * RFC 5280 section 4.2.1.10 as other programs apply it: which certificates an issuing CA of the ceremony can issue,
 * with each form of name constraints. The tests sign the forbidden certificates with the CA's key, bypassing the
 * service's rules.
 */

const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";
const ocspSigning = "1.3.6.1.5.5.7.3.9";

interface Leaf {
  commonName: string;
  names: { type: "dns" | "ip" | "email"; value: string }[];
  purpose: string;
  /** True: every CA may issue this leaf. False: only a CA without name constraints may. */
  permitted: boolean;
}

const leaves = {
  server: {
    commonName: "radius.demo.example",
    names: [{ type: "dns", value: "radius.demo.example" }],
    purpose: serverAuth,
    permitted: true,
  },
  device: {
    commonName: "abcdefghijklmnopqrst@demo.example",
    names: [{ type: "email", value: "abcdefghijklmnopqrst@demo.example" }],
    purpose: clientAuth,
    permitted: true,
  },
  responder: { commonName: "OCSP responder", names: [], purpose: ocspSigning, permitted: true },
  "foreign-host": {
    commonName: "www.example.net",
    names: [{ type: "dns", value: "www.example.net" }],
    purpose: serverAuth,
    permitted: false,
  },
  "foreign-common-name": { commonName: "www.example.net", names: [], purpose: serverAuth, permitted: false },
  "ip-address": {
    commonName: "server",
    names: [{ type: "ip", value: "192.0.2.1" }],
    purpose: serverAuth,
    permitted: false,
  },
  "ipv6-address": {
    commonName: "server",
    names: [{ type: "ip", value: "2001:db8::1" }],
    purpose: serverAuth,
    permitted: false,
  },
} as const satisfies Record<string, Leaf>;
type LeafName = keyof typeof leaves;

/** Each leaf under each form of name constraints, and whether programs must accept the leaf. */
const cases = nameConstraintsForms.flatMap((form) =>
  (Object.keys(leaves) as LeafName[]).map((leaf) => ({
    form,
    leaf,
    accepted: leaves[leaf].permitted || form === "none",
    word: leaves[leaf].permitted || form === "none" ? "accepted" : "refused",
  })),
);

const at = systemClock.now();
const directory = mkdtempSync(join(tmpdir(), "realmpass-constraints-"));
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const fileOf = (form: NameConstraintsForm, leaf: LeafName): string => `${form}-${leaf}.pem`;

beforeAll(async () => {
  const names = { organization: "Demo", at, passphrase: testPassphrase, cost: testKeyCost };
  const root = await createRoot(names);
  writeFileSync(join(directory, "root.pem"), pem("CERTIFICATE", root.certificate));
  for (const form of nameConstraintsForms) {
    const ca = await createIssuingCa({ ...names, root, nameConstraints: { form, domains: ["demo.example"] } });
    writeFileSync(join(directory, `${form}.pem`), pem("CERTIFICATE", ca.certificate));
    for (const leaf of Object.keys(leaves) as LeafName[]) {
      writeFileSync(join(directory, fileOf(form, leaf)), pem("CERTIFICATE", await sign(ca, leaves[leaf])));
    }
  }
});

async function sign(ca: CertificateAuthority, { commonName, names, purpose }: Leaf): Promise<Buffer> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const issuer = new X509Certificate(ca.certificate);
  const key = await decryptKey(ca.encryptedKey, testPassphrase);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject: new Name([{ CN: [{ utf8String: commonName }] }]),
    issuer: issuer.subjectName,
    notBefore: at,
    notAfter: new Date(at.getTime() + 86_400_000),
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey("pkcs8", key, algorithm, false, ["sign"]),
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([purpose]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])]),
    ],
  });
  return Buffer.from(certificate.rawData);
}

function run(tool: string, args: readonly string[]): { status: number; output: string } {
  const { status, stdout, stderr, error } = spawnSync(requireTool(tool), args, {
    cwd: directory,
    encoding: "utf8",
    timeout: 60_000,
  });
  if (error !== undefined) throw error;
  return { status: status ?? -1, output: stdout + stderr };
}

describeWithTool("openssl", "OpenSSL", () => {
  const purposeOf = { [serverAuth]: "sslserver", [clientAuth]: "sslclient", [ocspSigning]: "ocsphelper" };
  const verify = (form: NameConstraintsForm, leaf: LeafName, purpose: string) =>
    run("openssl", [
      ...["verify", "-x509_strict", "-purpose", purpose, "-CAfile", "root.pem"],
      ...["-untrusted", `${form}.pem`, fileOf(form, leaf)],
    ]);

  test.each(cases)("name constraints $form: $leaf is $word", ({ form, leaf, accepted }) => {
    const { status, output } = verify(form, leaf, purposeOf[leaves[leaf].purpose]);
    expect({ accepted: status === 0, output }).toMatchObject({ accepted });
    if (!accepted) expect(output).toMatch(/permitted subtree violation|excluded subtree violation/);
  });

  test.each(nameConstraintsForms)("name constraints %s: the CA cannot certify an e-mail signer", (form) => {
    // Depth 0 is the device's certificate, whose purpose does not fit either.
    expect(verify(form, "device", "smimesign")).toMatchObject({
      status: 2,
      output: expect.stringContaining("at 1 depth lookup: unsuitable certificate purpose") as string,
    });
  });
});

describeWithTool("certtool", "GnuTLS", () => {
  test.each(cases)("name constraints $form: $leaf is $word", ({ form, leaf, accepted }) => {
    const chain = ["--load-ca-certificate", "root.pem", "--infile", `chain-${form}-${leaf}.pem`];
    const joined = [fileOf(form, leaf), `${form}.pem`].map((file) => run("openssl", ["x509", "-in", file]).output);
    writeFileSync(join(directory, `chain-${form}-${leaf}.pem`), joined.join(""));

    const { status, output } = run("certtool", ["--verify", ...chain]);
    expect({ accepted: status === 0, output }).toMatchObject({ accepted });
    if (!accepted) expect(output).toContain("violates the signer's constraints");
  });
});

describeWithTool(["certutil", "vfychain"], "NSS", () => {
  const usageOf = { [serverAuth]: "1", [clientAuth]: "0", [ocspSigning]: "10" };
  beforeAll(() => {
    mkdirSync(join(directory, "nss"));
    expect(run("certutil", ["-N", "-d", "sql:nss", "--empty-password"]).status).toBe(0);
    const add = ["-A", "-d", "sql:nss", "-n", "root", "-t", "CT,,", "-a", "-i", "root.pem"];
    expect(run("certutil", add).status).toBe(0);
  });

  test.each(cases)("name constraints $form: $leaf is $word", ({ form, leaf, accepted }) => {
    const usage = usageOf[leaves[leaf].purpose];
    const files = ["-a", fileOf(form, leaf), "-a", `${form}.pem`];
    const { status, output } = run("vfychain", ["-d", "sql:nss", "-pp", "-u", usage, ...files]);
    expect({ accepted: status === 0, output }).toMatchObject({ accepted });
    if (!accepted) expect(output).toContain("Chain is bad!");
  });
});

describeWithTool("java", "Java", () => {
  let found: Map<string, string>;
  beforeAll(() => {
    const program = fileURLToPath(new URL("../support/pki/VerifyChains.java", import.meta.url));
    const { status, output } = run("java", [
      program,
      ...cases.map(({ form, leaf }) => `${fileOf(form, leaf)}=${form}.pem=root.pem`),
    ]);
    expect({ status, output }).toMatchObject({ status: 0 });
    found = new Map(
      output
        .trim()
        .split("\n")
        .map((line) => line.split("\t") as [string, string]),
    );
  });

  test.each(cases)("name constraints $form: $leaf is $word", ({ form, leaf, accepted }) => {
    expect(found.get(fileOf(form, leaf))).toBe(accepted ? "ok" : "INVALID_NAME");
  });
});
