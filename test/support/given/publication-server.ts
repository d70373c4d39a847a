import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Db } from "../../../db/client.ts";
import * as rootCrls from "../../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { atEnd } from "../run/at-end.ts";
import { storedCrl } from "../pki/crl.ts";

/** Serves a port of this machine until the test or file ends. */
export async function startListener(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An OCSPResponse that contains only `successful`. */
const successful = Buffer.from("30030a0100", "hex");

/** Serves the addresses in certificates, as an api does; `instead` replaces some responses. */
export const startPublication = (
  db: Db,
  instead: Readonly<Record<string, { status?: number; body?: Buffer; location?: string }>> = {},
): Promise<string> =>
  startListener((request, response) => {
    const [, folder = "", id = ""] = /^\/(ca|crl|ocsp)\/(\d+|root-\w+)/.exec(request.url ?? "") ?? [];
    const body = async (): Promise<Buffer> => {
      if (id.startsWith("root-")) return (await rootCrls.find(db, id.slice("root-".length)))!.der;
      if (folder === "ca") return (await issuers.listByIds(db, [id]))[0]!.certificate;
      return folder === "crl" ? storedCrl(db, id) : successful;
    };
    const other = instead[folder];
    if (other?.location !== undefined) response.setHeader("location", other.location);
    response.statusCode = other?.status ?? 200;
    void (other?.body === undefined ? body() : Promise.resolve(other.body)).then((bytes) => response.end(bytes));
  });
