import { IssuanceID, type IssuerID, type SerialNumber } from "../../../domain/ids.ts";
import type { CertificateRequest } from "../../../pki/certificate.ts";
import type { SigningRequest } from "../../../worker/signing/messages.ts";
import { createPublicKey, randomUUID } from "node:crypto";
import { privateKeyPem, testIssuer } from "./hierarchy/test-hierarchy.ts";

export const testIdentity = "abcdefghij234567mnop@wifi.example.org";

/** Returns the request for an ordinary user's certificate, the same every time; tests override what matters to them. */
export function certificateRequest(override: Partial<CertificateRequest> = {}): CertificateRequest {
  return {
    issuer: testIssuer(),
    kind: "user",
    serialNumber: "123456789012345678901234567890123456789" as SerialNumber,
    identity: testIdentity,
    organization: "Example Üniversity",
    realmDomain: "wifi.example.org",
    infrastructureDomains: ["example.org"],
    dnsName: null,
    notBefore: new Date("2026-11-21T08:55:00Z"),
    notAfter: new Date("2027-11-21T09:00:00Z"),
    publicKeySpki: createPublicKey(privateKeyPem("leaf")).export({ format: "der", type: "spki" }),
    keyIsRsa: false,
    ...override,
  };
}

/** Returns the signing request for an ordinary user's certificate. */
export function signingRequest(override: Partial<SigningRequest> = {}): SigningRequest {
  return {
    issuanceId: IssuanceID.parse(randomUUID()),
    issuerId: "1" as IssuerID,
    kind: "user",
    serialNumber: "123456789012345678901234567890123456789" as SerialNumber,
    identity: testIdentity,
    organization: "Example Üniversity",
    realmDomain: "wifi.example.org",
    infrastructureDomains: ["example.org"],
    dnsName: null,
    friendlyName: "laptop (Example Üniversity)",
    notBefore: new Date("2026-11-21T08:55:00Z"),
    notAfter: new Date("2027-11-21T09:00:00Z"),
    keyType: "ec-p256",
    csr: null,
    format: "pem",
    deviceType: "Linux",
    ...override,
  };
}
