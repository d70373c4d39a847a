import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomeOf } from "../../support/pki/ocsp.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { requireTool } from "../../support/run/tools.ts";
import { ended, freePort } from "../../support/run/services.ts";
import type { Cleanup } from "../cleanup.ts";
import { readCpu, type CpuByPart } from "../cpu.ts";
import { until } from "../service.ts";

/** `openssl ocsp` as a separate responder: it has an index file and a P-256 key, and serves one request at a time. */
export interface OpensslResponder {
  port: number;
  /** The certificate of the CA that issued the certificates, DER. */
  issuer: Buffer;
  cpu(): CpuByPart;
  stop(): Promise<void>;
}

/** Starts the responder with these serial numbers (decimal) as valid certificates. */
export async function startOpensslResponder(
  serialNumbers: readonly string[],
  cleanup: Cleanup,
): Promise<OpensslResponder> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-openssl-ocsp-"));
  const removeDirectory = cleanup.add(() => rm(directory, { recursive: true, force: true }));
  const key = openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout"]).stdout;
  const made = openssl(
    ["req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=OCSP responder", "-days", "30", "-outform", "DER"],
    { "ca.key": key },
  );
  await writeFile(join(directory, "ca.key"), key);
  await writeFile(
    join(directory, "ca.pem"),
    `-----BEGIN CERTIFICATE-----\n${made.output.toString("base64")}\n-----END CERTIFICATE-----\n`,
  );
  const lines = serialNumbers.map((serial) => `V\t401231235959Z\t\t${hexOf(serial)}\tunknown\t/CN=${serial}\n`);
  await writeFile(join(directory, "index.txt"), lines.join(""));

  const port = await freePort();
  const files = ["-index", "index.txt", "-CA", "ca.pem", "-rsigner", "ca.pem", "-rkey", "ca.key"];
  const child = spawn(requireTool("openssl"), ["ocsp", "-port", String(port), ...files], {
    cwd: directory,
    stdio: "ignore",
  });
  const stopChild = cleanup.add(() => ended(child, "SIGKILL"));
  await until("openssl ocsp answers", 10, () => answers(port, made.output, serialNumbers[0] ?? ""));
  return {
    port,
    issuer: made.output,
    cpu: () => readCpu(child.pid === undefined ? [] : [child.pid]),
    async stop() {
      await stopChild();
      await removeDirectory();
    },
  };
}

function hexOf(serialNumber: string): string {
  const hex = BigInt(serialNumber).toString(16).toUpperCase();
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

/** Returns whether the responder answers. Sends a request, because the responder exits if a connection sends none. */
const answers = (port: number, issuer: Buffer, serialNumber: string): Promise<boolean> =>
  askOverHttp(`http://127.0.0.1:${port}/`, {
    body: encodeOcspRequest([encodeCertId({ issuer, serialNumber })]),
  }).then(
    ({ body }) => outcomeOf(body) === "good",
    () => false,
  );
