import type { Picture, PictureSources } from "../../contract/deps.ts";
import { lookup as resolve, type LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isWithin, parseNetworks } from "../../../runtime/config/networks.ts";
import { within } from "../../../runtime/deadline.ts";
import { acceptedPictures, pictureTypeOf } from "./picture-type.ts";
import { isPublicAddress } from "../../../runtime/public-address.ts";
import { logoBytesMax } from "../../../domain/limits.ts";

export type FetchPicture = (address: string) => Promise<Picture>;

/** Thrown when no picture could be fetched. The message gives the reason and contains no part of the response. */
export class PictureError extends Error {
  override readonly name = "PictureError";
}

const redirectsMax = 2;

/**
 * Creates a function that fetches a picture over https, without cookies or credentials. The function resolves each name
 * once, checks all its addresses and connects only to a checked one, also after each redirect. A source cannot make
 * this service wait for long, store much, or pass on anything except a picture. The function throws {@link
 * PictureError}.
 */
export function createPictureFetch({ networks = "", authorities, timeoutMs = 3_000 }: PictureSources): FetchPicture {
  const allowed = parseNetworks(networks);
  const mayConnectTo = (address: string): boolean => isPublicAddress(address) || isWithin(allowed, address);

  return async (address) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const endsAt = performance.now() + timeoutMs;
    let url = readAddress(address);
    for (let redirects = 0; ; redirects++) {
      const addresses = await within(endsAt - performance.now(), addressesOf(url));
      if (addresses === "late") throw tooLate();
      if (!addresses.every((each) => mayConnectTo(each.address))) {
        throw new PictureError("its address is not a public one");
      }
      const answer = await ask(url, { addresses, authorities, signal });
      if (!("location" in answer)) return answer;
      if (redirects === redirectsMax) throw new PictureError("it redirects too often");
      url = readAddress(answer.location, url);
    }
  };
}

/** Parses an https address without user name and password. Throws {@link PictureError} for any other address. */
function readAddress(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") {
    throw new PictureError("its address is not https");
  }
  return url;
}

/** Returns every address of a host. The URL parser has already normalised all forms of an IP address. */
function addressesOf({ hostname }: URL): Promise<LookupAddress[]> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return Promise.resolve([{ address: host, family: isIP(host) }]);
  return new Promise((found, failed) => {
    resolve(host, { all: true }, (error, addresses) => {
      if (error === null && addresses.length > 0) found(addresses);
      else failed(new PictureError("its name has no address"));
    });
  });
}

const tooLate = (): PictureError => new PictureError("it takes too long");

interface Asking {
  addresses: LookupAddress[];
  authorities: string | undefined;
  signal: AbortSignal;
}

/** Sends one request, only to the checked addresses. */
function ask(url: URL, { addresses, authorities, signal }: Asking): Promise<Picture | { location: string }> {
  return new Promise((done, failed) => {
    const sent = request(url, {
      agent: false,
      lookup: answering(addresses),
      rejectUnauthorized: true,
      ...(authorities === undefined ? {} : { ca: authorities }),
      headers: { accept: acceptedPictures, "accept-encoding": "identity", "user-agent": "Realmpass" },
      signal,
    });
    sent.on("error", (error) => {
      failed(signal.aborted ? tooLate() : new PictureError(`it cannot be reached: ${codeOf(error)}`));
    });
    sent.once("response", (response) => {
      readAnswer(response)
        .then(done, (error: unknown) => {
          failed(error instanceof PictureError ? error : signal.aborted ? tooLate() : new PictureError("it broke off"));
        })
        .finally(() => sent.destroy());
    });
    sent.end();
  });
}

/** Returns a look-up that resolves every name to these addresses. */
const answering =
  (addresses: LookupAddress[]): LookupFunction =>
  (_, { all }, found) => {
    const [first] = addresses;
    if (all === true) found(null, addresses);
    else found(null, first?.address ?? "", first?.family ?? 0);
  };

const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : error.name);

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function readAnswer(response: IncomingMessage): Promise<Picture | { location: string }> {
  const { statusCode = 0, headers } = response;
  if (redirects.has(statusCode) && headers.location !== undefined) return { location: headers.location };
  if (statusCode !== 200) throw new PictureError(`it answered with status ${statusCode}`);
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new PictureError("it is compressed");
  const bytes = await readBody(response);
  const type = pictureTypeOf(headers["content-type"], bytes);
  if (type === undefined) throw new PictureError("it is no picture of a kind that is taken");
  return { type, bytes };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = Number(response.headers["content-length"] ?? 0) > logoBytesMax ? Infinity : 0;
  if (length === 0) {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > logoBytesMax) break;
      chunks.push(chunk);
    }
  }
  if (length > logoBytesMax) throw new PictureError("it is too large");
  return Buffer.concat(chunks);
}
