import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { certificateFormats, isDeviceFile, type CreationOutput } from "../../../../domain/certificate/format.ts";
import type { IssuerID } from "../../../../domain/ids.ts";
import {
  generateOutputKeyPair,
  open,
  outputPrivateKeys,
  outputPublicKey,
  unwrapDataKey,
} from "../../../../runtime/keys/sealed-output.ts";
import { generateKeyPair } from "../../../../pki/key-pair.ts";
import type {
  IssueBatchResult,
  SignedRequest,
  SigningRequest,
  IssuerMaterial,
  SigningResult,
} from "../../../../worker/signing/messages.ts";
import { createSigningPool, type SigningPool, type SigningPoolOptions } from "../../../../worker/signing/pool.ts";
import { SigningThreadError, ThreadRequestError, type RunThread } from "../../../../worker/signing/thread-handle.ts";
import { signingRequest } from "../../../support/given/certificate-request.ts";
import {
  certificatePem,
  derOf,
  testIssuerMaterial,
  testUrls,
} from "../../../support/given/hierarchy/test-hierarchy.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { bundledThreads } from "../../../support/service/signing-threads.ts";

const passphrase = "test passphrase";
const outputKeys = generateOutputKeyPair();
let material: IssuerMaterial;

const started: Worker[] = [];
const watch = (worker: Worker): void => void started.push(worker);
process.on("worker", watch);
afterAll(() => void process.off("worker", watch));

let runThread: RunThread;
const newPool = (override: Partial<SigningPoolOptions> = {}): SigningPool =>
  createSigningPool({
    threads: 1,
    passphrase,
    outputPublicKey: outputPublicKey(outputKeys.publicJwk),
    runThread,
    ...override,
  });

beforeAll(async () => {
  runThread = await bundledThreads();
  material = await testIssuerMaterial(passphrase);
});

function issued(result: SigningResult | undefined): SignedRequest {
  if (result === undefined || "failure" in result) throw new Error(`not issued: ${JSON.stringify(result)}`);
  return result;
}

/** Returns the output that the API would hand out: unwrapped, opened, parsed. */
function outputOf({ dataKeys, results }: IssueBatchResult, index = 0): Record<string, string> {
  const { sealed, issuanceId, dataKeyId } = issued(results[index]);
  const wrapped = dataKeys.find(({ id }) => id === dataKeyId)?.wrapped ?? Buffer.alloc(0);
  const dataKey = unwrapDataKey(outputPrivateKeys(outputKeys.privateJwk), wrapped);
  return JSON.parse(open(dataKey, sealed, issuanceId).toString("utf8")) as CreationOutput;
}

const csrFor = (key: ReturnType<typeof generateKeyPairSync>["privateKey"]): string =>
  openssl(["req", "-new", "-key", "k.pem", "-subj", "/CN=ignored"], {
    "k.pem": key.export({ format: "pem", type: "pkcs8" }),
  }).stdout;

describe("with a pool and a loaded issuer", () => {
  let pool: SigningPool;

  beforeAll(async () => {
    pool = newPool();
    await pool.ensureIssuer(material);
  });
  afterAll(() => pool.close());

  const issueOne = async (override: Partial<SigningRequest> = {}) => pool.issue([signingRequest(override)]);

  test.each(certificateFormats.filter((format) => !isDeviceFile(format)))(
    "a request for %s returns a certificate and its sealed output in that format",
    async (format) => {
      const batch = await issueOne({ format });
      const output = outputOf(batch);
      const certificate = new X509Certificate(issued(batch.results[0]).certificate);

      expect(certificate.verify(new X509Certificate(material.certificate).publicKey)).toBe(true);
      if (format === "pkcs12" || format === "pfx") {
        expect(Object.keys(output)).toEqual(["data"]);
        expect(Buffer.from(output["data"] ?? "", "base64")[0]).toBe(0x30);
      } else {
        expect(output["certificate"]).toBe(certificate.toString() + certificatePem("issuing"));
        expect(certificate.checkPrivateKey(createPrivateKey(output["privateKey"] ?? ""))).toBe(true);
      }
    },
  );

  const network = {
    displayName: "Example Üniversity",
    domain: "wifi.example.org",
    ssids: ["eduroam"],
    wired: false,
    radiusNames: ["radius.wifi.example.org"],
    radiusCas: [{ certificate: derOf(certificatePem("root")).toString("base64"), selfSigned: true }],
    rcois: [],
    help: { mail: "", web: "", phone: "" },
    reminderLeadDays: 0,
  };

  const xml = /^<\?xml version="1.0" encoding="UTF-8"\?>\n/;
  const beginnings = {
    mobileconfig: xml,
    "eap-config": xml,
    onc: /^\{\n {2}"Type": "UnencryptedConfiguration"/,
    networkmanager: /^realmpass-wifi\.example\.org-ca\.pem\0/,
    iwd: /^eduroam\.8021x\0/,
  };
  test.each(certificateFormats.filter(isDeviceFile))(
    "a request for %s returns that file, or an error if the realm's network settings are missing",
    async (format) => {
      const file = Buffer.from(outputOf(await issueOne({ format, network }))["data"] ?? "", "base64").toString("utf8");
      expect(file).toMatch(beginnings[format]);
      expect(file).toContain("radius.wifi.example.org");

      const { results } = await issueOne({ format });
      expect(results[0]).toMatchObject({ failure: { code: "signing_failed" } });
    },
  );

  test("configuration profiles are signed if a key for signing them is configured", async () => {
    const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
    const signing = ["req", "-x509", "-key", "key.pem", "-subj", "/CN=Signs Profiles"];
    const certificate = openssl(signing, { "key.pem": key }).stdout;
    const signingPool = newPool({ profileSigning: { certificate, key: key.toString() } });
    await signingPool.ensureIssuer(material);
    try {
      const file =
        outputOf(await signingPool.issue([signingRequest({ format: "mobileconfig", network })]))["data"] ?? "";
      const verify = ["cms", "-verify", "-inform", "DER", "-in", "file", "-CAfile", "signer.pem", "-purpose", "any"];
      const { stdout } = openssl(verify, { file: Buffer.from(file, "base64"), "signer.pem": certificate });
      expect(stdout).toContain("com.apple.wifi.managed");
    } finally {
      await signingPool.close();
    }
  });

  test("a result identifies the public key by the hash that the database keeps unique", async () => {
    const { certificate, spkiSha256 } = issued((await issueOne()).results[0]);
    const spki = new X509Certificate(certificate).publicKey.export({ format: "der", type: "spki" });

    expect(Buffer.from(spkiSha256).equals(createHash("sha256").update(spki).digest())).toBe(true);
  });

  test("a result shares no memory with the rest of the thread", async () => {
    const { results, dataKeys } = await pool.issue(Array.from({ length: 4 }, () => signingRequest()));

    const parts = [
      ...dataKeys.map(({ wrapped }) => wrapped),
      ...results.flatMap((result) => Object.values(issued(result)).filter((value) => value instanceof Uint8Array)),
    ];
    expect(parts).toHaveLength(1 + 3 * results.length);
    for (const part of parts) expect(part.buffer.byteLength).toBe(part.length);
  });

  test("the sealed output of one issuance does not open as the output of another", async () => {
    const { dataKeys, results } = await pool.issue([signingRequest(), signingRequest()]);
    const [first, second] = results.map(issued);
    const swapped = [{ ...first!, issuanceId: second!.issuanceId }];

    expect(() => outputOf({ dataKeys, results: swapped })).toThrow("does not open");
  });

  test("consecutive batches of a thread are sealed with one data key", async () => {
    const fresh = newPool();
    await fresh.ensureIssuer(material);
    try {
      const [first, second] = [await fresh.issue([signingRequest()]), await fresh.issue([signingRequest()])];
      expect(second.dataKeys).toEqual(first.dataKeys);
      for (const batch of [first, second]) expect(outputOf(batch)).toHaveProperty("privateKey");
    } finally {
      await fresh.close();
    }
  });

  test("a bad request fails with its reason and does not affect other requests", async () => {
    const requests = [
      signingRequest(),
      signingRequest({ csr: "rubbish" }),
      signingRequest({ notAfter: new Date("2100-01-01T00:00:00Z") }),
      signingRequest({ identity: "jane.doe@example.org" }),
      signingRequest({ issuerId: "99" as IssuerID }),
      signingRequest({ serialNumber: "not a number" as SigningRequest["serialNumber"] }),
      signingRequest(),
    ];
    const { results } = await pool.issue(requests);

    expect(results.map(({ issuanceId }) => issuanceId)).toEqual(requests.map(({ issuanceId }) => issuanceId));
    expect(results.map((result) => ("failure" in result ? result.failure.code : "issued"))).toEqual([
      "issued",
      "invalid_csr",
      "issuer_expiring",
      "lint_failed",
      "issuer_not_loaded",
      "lint_failed",
      "issued",
    ]);
  });

  test("a key pair passed with the request is used, and wiped immediately in the caller's memory", async () => {
    const keyPair = generateKeyPair("rsa-2048");
    const privateKey = createPrivateKey({ key: Buffer.from(keyPair.privateKeyPkcs8), format: "der", type: "pkcs8" });

    const pending = issueOne({ keyPair, keyType: "rsa-2048" });
    expect(keyPair.privateKeyPkcs8.every((octet) => octet === 0)).toBe(true);

    const batch = await pending;
    expect(new X509Certificate(issued(batch.results[0]).certificate).checkPrivateKey(privateKey)).toBe(true);
    expect(outputOf(batch)["privateKey"]).toBe(privateKey.export({ format: "pem", type: "pkcs8" }));
  });

  describeWithTool("openssl", "a certification request", () => {
    test.each([
      ["P-384", generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey],
      ["RSA-2048", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
    ])("with %s: only the request's key is certified, and the output has no private key", async (_, key) => {
      const batch = await issueOne({ csr: csrFor(key), format: "pkcs12" });
      const certificate = new X509Certificate(issued(batch.results[0]).certificate);

      expect(certificate.checkPrivateKey(key)).toBe(true);
      expect(certificate.subject).not.toContain("ignored");
      expect(Object.keys(outputOf(batch))).toEqual(["certificate"]);
    });
  });

  test("an issuer that is already loaded is accepted again; a changed issuer replaces the loaded one", async () => {
    await pool.ensureIssuer(structuredClone(material));
    await pool.ensureIssuer({ ...material, urls: { ...testUrls, crl: "http://pki.example.org/crl/2.crl" } });

    const { certificate } = issued((await issueOne()).results[0]);
    expect(Buffer.from(certificate).includes("http://pki.example.org/crl/2.crl")).toBe(true);
    await pool.ensureIssuer(material);
  });

  test("a probe shows whether every thread can sign for an issuer", async () => {
    await pool.probe(material.issuerId);
    await expect(pool.probe("99" as IssuerID)).rejects.toThrow(ThreadRequestError);
  });

  test("an issuer that fails to load reports the reason, and the issuer loaded before stays", async () => {
    const other = await testIssuerMaterial("another passphrase");
    const mixedUp = await testIssuerMaterial(passphrase, "issuing-rsa");

    await expect(pool.ensureIssuer(other)).rejects.toMatchObject({
      name: "ThreadRequestError",
      reason: "EncryptedKeyError",
    });
    await expect(pool.ensureIssuer({ ...material, encryptedKey: mixedUp.encryptedKey })).rejects.toMatchObject({
      reason: "IssuerError",
    });
    issued((await issueOne()).results[0]);
  });
});

/** Makes a batch that keeps a thread busy for a while. */
const longBatch = (): SigningRequest[] => Array.from({ length: 40 }, () => signingRequest({ format: "pem" }));

describe("an urgent batch", () => {
  const slow = (pool: SigningPool, done: () => void): Promise<void> => pool.issue(longBatch()).then(done);

  test.each([1, 2])("precedes all waiting batches, with %i threads", async (threads) => {
    const pool = newPool({ threads });
    await pool.ensureIssuer(material);
    try {
      const ended: string[] = [];
      const bulk = Array.from({ length: 8 }, (_, n) => slow(pool, () => void ended.push(`bulk ${n}`)));
      await pool.issue([signingRequest()], { urgent: true });
      ended.push("urgent");
      await Promise.all(bulk);

      // One or two batches are already on a thread, and another thread can finish any number in the same time.
      expect(ended.indexOf("urgent")).toBeLessThanOrEqual(threads === 1 ? 2 : 5);
      expect(ended).toHaveLength(9);
    } finally {
      await pool.close();
    }
  });
});

describe("when a thread dies", () => {
  const warnings: object[] = [];
  let pool: SigningPool;
  afterEach(() => pool.close());

  test("its batch is rejected, another thread with the same issuers replaces it, and work continues", async () => {
    pool = newPool({ log: { warn: (fields) => warnings.push(fields) } });
    await pool.ensureIssuer(material);
    const victim = started.at(-1);

    const slow = pool.issue(longBatch());
    const lost = expect(slow).rejects.toThrow(SigningThreadError);
    await victim?.terminate();
    await lost;
    expect(started.at(-1)).toBe(victim);

    issued((await pool.issue([signingRequest()])).results[0]);
    expect(started.at(-1)).not.toBe(victim);
    expect(warnings).toMatchObject([{ event: "signing_thread.ended" }]);
  });

  test("the surviving thread keeps its batches", async () => {
    pool = newPool({ threads: 2 });
    await pool.ensureIssuer(material);
    const victim = started.at(-1);

    const batches = [0, 1].map(() => pool.issue(longBatch()));
    await victim?.terminate();
    const outcomes = await Promise.allSettled(batches);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a thread that does not answer in time is stopped, so no caller waits forever", async () => {
    pool = newPool({ batchSecondsMax: 0.001 });
    await expect(pool.issue(longBatch())).rejects.toThrow(SigningThreadError);
  });
});

describe("closing", () => {
  test("waits for running batches, and accepts no new batches", async () => {
    const pool = newPool();
    await pool.ensureIssuer(material);
    const underWay = pool.issue([signingRequest({ keyType: "rsa-2048" })]);
    const keyPair = generateKeyPair("ec-p256");

    const closed = pool.close();
    await expect(pool.issue([signingRequest({ keyPair })])).rejects.toThrow(SigningThreadError);
    expect(keyPair.privateKeyPkcs8.every((octet) => octet === 0)).toBe(true);
    await expect(pool.ensureIssuer(material)).rejects.toThrow(SigningThreadError);
    await expect(pool.probe(material.issuerId)).rejects.toThrow(SigningThreadError);

    issued((await underWay).results[0]);
    await closed;
  });

  test("does not wait beyond its deadline: remaining batches are rejected", async () => {
    const pool = newPool();
    await pool.ensureIssuer(material);
    const batches = Array.from({ length: 4 }, () =>
      pool.issue(Array.from({ length: 8 }, () => signingRequest({ keyType: "rsa-3072" }))),
    );
    const outcomes = Promise.allSettled(batches);

    await pool.close({ deadlineMs: 50 });

    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "SigningThreadError" } });
  });
});

test("a pool runs its threads from the program's own files by default", async () => {
  const pool = newPool({ runThread: undefined });
  await pool.ensureIssuer(material);
  issued((await pool.issue([signingRequest()])).results[0]);
  await pool.close();
});

test("an error from a thread has the name and the message that the thread reported", () => {
  expect(new ThreadRequestError({ name: "IssuerError", message: "x" })).toMatchObject({
    reason: "IssuerError",
    message: "x",
  });
});
