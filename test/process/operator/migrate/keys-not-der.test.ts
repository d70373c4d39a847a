import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { only } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import type { SerialNumber } from "../../../../domain/ids.ts";
import { assembleCertificate, draftCertificate, encodeToBeSigned } from "../../../../pki/certificate.ts";
import { certificateRequest } from "../../../support/given/certificate-request.ts";
import { fromNow } from "../../../support/given/given.ts";
import { otherForms } from "../../../support/pki/hostile-keys.ts";
import { useOperator } from "../../../support/service/test-operator.ts";

const operator = useOperator();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
let sequence = 1_000;

/** Makes a profile as an earlier version made it: its certificate has the key in the encoding that the client sent. */
async function certified(
  realm: string,
  publicKeySpki: Buffer,
  { isRevoked = false, hasEnded = false, withRequest = true } = {},
): Promise<string> {
  const { owner } = operator.database;
  const serialNumber = String(++sequence) as SerialNumber;
  const draft = draftCertificate(certificateRequest({ publicKeySpki, serialNumber }));
  const toBeSigned = encodeToBeSigned(draft);
  const certificate = assembleCertificate(toBeSigned, await draft.issuer.signer.sign(toBeSigned));
  const { id: issuanceId } = only(
    await owner.query<{ id: string }>(sql`
      insert into issuances (id, realm_id, kind, name, format, key_type, csr, authable, validity_months, created_at,
                             status, finished_at, error_code)
      select ${randomUUID()}, id, 'infrastructure', 'radius', 'pem', 'rsa-2048', ${withRequest ? "a request" : null},
             false, 12, now(), 'failed', now(), 'issuance_failed'
        from realms
       where name = ${realm}
      returning id
    `),
  );
  await owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, name, authable, identity,
                              certificate, spki_sha256, created_at, not_before, not_after, revoked_at,
                              revocation_reason, lapsed)
    select r.id, i.id, ${serialNumber}, ${issuanceId}, 'infrastructure', 'radius', false, 'radius', ${certificate},
           ${createHash("sha256").update(publicKeySpki).digest()}, now(), ${fromNow(-1_000_000)},
           ${fromNow(hasEnded ? -1_000 : 1_000_000)}, ${isRevoked ? fromNow(0) : null}, ${isRevoked ? 4 : null},
           ${hasEnded}
      from realms r join issuers i on i.realm_id = r.id
     where r.name = ${realm}
  `);
  return serialNumber;
}

test("migrate names the active profiles whose keys earlier versions certified in a form other than DER", async () => {
  const realm = await operator.realm();
  const der = { type: "spki", format: "der" } as const;
  for (const key of [rsa, p256]) await certified(realm, key.publicKey.export(der));
  expect((await operator.run(["migrate"])).json["keysNotDer"]).toEqual([]);
  expect((await operator.runPlain(["migrate"])).out).not.toContain("DER");

  const forms = otherForms({ rsa: rsa.privateKey, p256: p256.privateKey });
  const form = (title: string): Buffer => forms.find(([what]) => what === title)![1];
  const serials = [
    await certified(realm, form("RSA with a length of four octets outside")),
    await certified(realm, form("RSA with an exponent with a zero")),
    await certified(realm, form("RSA with more unused bits than an octet has")),
  ];
  await certified(realm, form("RSA with a long length inside"), { isRevoked: true });
  await certified(realm, form("RSA with a long length of the modulus"), { hasEnded: true });
  await certified(realm, form("RSA with an octet after the numbers"), { withRequest: false });

  expect((await operator.run(["migrate"])).json["keysNotDer"]).toEqual(serials);
  const { code, out } = await operator.runPlain(["migrate"]);
  expect(code).toBe(0);
  expect(out).toContain(`Revoke them; their serial numbers:\n${serials.join("\n")}\n`);
});
