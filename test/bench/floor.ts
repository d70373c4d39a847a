/** The least that a profile can cost: key, certificate and PKCS#12 in one process, without any I/O. */
import { IssuerID } from "../../domain/ids.ts";
import { assembleCertificate, draftCertificate, encodeToBeSigned } from "../../pki/certificate.ts";
import { createIssuingCa, createRoot } from "../../worker/keys/ceremony.ts";
import { loadIssuer, type Issuer } from "../../pki/issuer.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { encodePkcs12 } from "../../pki/pkcs12.ts";
import { drawSerialNumber } from "../../pki/serial-number.ts";
import { openFileSignerSync } from "../../worker/keys/file-signer.ts";
import { systemClock } from "../../runtime/clock.ts";
import { median } from "./statistics.ts";

const organization = "Realmpass bench";
const passphrase = "worthless: this CA never leaves the process";
const rounds = 5;

/** Returns the CPU microseconds per P-256 profile; the median of some rounds, after a warm-up. */
export async function measureFloor({ quick }: { quick: boolean }): Promise<number> {
  const issuer = await makeIssuer();
  const count = quick ? 500 : 4_000;
  const costs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let made = 0; made < count; made++) await makeProfile(issuer);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) costs.push((user + system) / count);
  }
  return median(costs);
}

async function makeProfile(issuer: Issuer): Promise<Buffer> {
  const { publicKeySpki, privateKeyPkcs8 } = generateKeyPair("ec-p256");
  const draft = draftCertificate({
    issuer,
    kind: "user",
    serialNumber: drawSerialNumber(),
    identity: "abcdefghijklmnopqrst@demo.example",
    organization,
    realmDomain: "demo.example",
    infrastructureDomains: [],
    dnsName: null,
    notBefore: issuer.notBefore,
    notAfter: issuer.notAfter,
    publicKeySpki,
    keyIsRsa: false,
  });
  const toBeSigned = encodeToBeSigned(draft);
  const certificate = assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned));
  const friendlyName = `laptop (${organization})`;
  return encodePkcs12({ deviceType: "Windows", friendlyName, privateKeyPkcs8, certificate, chain: issuer.chain });
}

async function makeIssuer(): Promise<Issuer> {
  const at = systemClock.now();
  const root = await createRoot({ organization, at, passphrase });
  const { certificate, encryptedKey } = await createIssuingCa({
    root,
    organization,
    nameConstraints: { form: "plain", domains: ["demo.example"] },
    at,
    passphrase,
  });
  const url = "http://localhost:3000";
  return loadIssuer({
    issuerId: IssuerID.parse("1"),
    certificate,
    chain: [certificate],
    signer: openFileSignerSync(encryptedKey, passphrase),
    urls: { crl: `${url}/crl/1.crl`, ocsp: `${url}/ocsp/1`, caIssuers: `${url}/ca/1.cer` },
  });
}
