import { execFileSync } from "node:child_process";
import { X509Certificate, createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A client certificate with its key: as octets for the encoder, and as objects of Node. */
export interface ClientCertificate {
  certificate: Buffer;
  x509: X509Certificate;
  privateKeyPkcs8: Buffer;
  privateKey: KeyObject;
}

export interface ClientHierarchy {
  rootPem: string;
  issuer: Buffer;
  issuerPem: string;
  clients: { "ec-p256": ClientCertificate; "rsa-2048": ClientCertificate };
}

const keyOptions = {
  "ec-p256": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  "rsa-2048": ["-newkey", "rsa:2048"],
} as const;

const issuerExtensions = `basicConstraints=critical,CA:TRUE,pathlen:0
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
`;

const clientExtensions = `basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=clientAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=email:abcdefghijklmnopqrst@example.org
crlDistributionPoints=URI:http://pki.example.org/crl/1.crl
authorityInfoAccess=OCSP;URI:http://pki.example.org/ocsp,caIssuers;URI:http://pki.example.org/issuer/1.crt
`;

/** Makes a throwaway root, issuing CA and two client certificates with the openssl binary in `directory`. */
export function makeClientHierarchy(openssl: string, directory: string): ClientHierarchy {
  const run = (...args: string[]) => execFileSync(openssl, args, { cwd: directory, stdio: "pipe" });
  const file = (name: string): Buffer => readFileSync(join(directory, name));
  const newKey = (name: string, options: readonly string[]) => [...options, "-nodes", "-keyout", `${name}.key`];

  run(
    "req",
    "-x509",
    ...newKey("root", keyOptions["ec-p256"]),
    "-out",
    "root.pem",
    "-subj",
    "/CN=Test Root",
    "-days",
    "3",
  );
  const issue = (
    name: string,
    keyType: keyof typeof keyOptions,
    subject: string,
    issuer: string,
    extensions: string,
  ) => {
    writeFileSync(join(directory, `${name}.ext`), extensions);
    run("req", "-new", ...newKey(name, keyOptions[keyType]), "-out", `${name}.csr`, "-subj", subject);
    const signer = ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`, "-CAcreateserial", "-days", "2"];
    run("x509", "-req", "-in", `${name}.csr`, ...signer, "-extfile", `${name}.ext`, "-out", `${name}.pem`);
  };
  const client = (keyType: keyof typeof keyOptions): ClientCertificate => {
    issue(keyType, keyType, "/CN=abcdefghijklmnopqrst@example.org/O=Example", "issuing", clientExtensions);
    const x509 = new X509Certificate(file(`${keyType}.pem`));
    const privateKey = createPrivateKey(file(`${keyType}.key`));
    const privateKeyPkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
    return { certificate: x509.raw, x509, privateKeyPkcs8, privateKey };
  };

  issue("issuing", "ec-p256", "/CN=Test Issuing CA", "root", issuerExtensions);
  const issuerPem = file("issuing.pem").toString();
  return {
    rootPem: file("root.pem").toString(),
    issuerPem,
    issuer: new X509Certificate(issuerPem).raw,
    clients: { "ec-p256": client("ec-p256"), "rsa-2048": client("rsa-2048") },
  };
}
