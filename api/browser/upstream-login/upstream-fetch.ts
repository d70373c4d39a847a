import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, fetch as fetchVia } from "undici";
import { isSafeWebUri } from "../../../domain/uris.ts";
import { isWithin, type Networks } from "../../../runtime/config/networks.ts";
import { isPublicAddress } from "../../../runtime/public-address.ts";
import { reasonOf, UpstreamError } from "./upstream-error.ts";

/** Sends one request. */
type Send = (address: string, request: Request) => Promise<Answered>;

interface Request {
  method: string;
  headers: Record<string, string>;
  body: URLSearchParams | null;
  redirect: "manual";
  signal: AbortSignal;
}

interface Answered {
  status: number;
  headers: { get: (name: string) => string | null };
  body: unknown;
}

/** The longest response that is read: larger than any document of an identity provider. Limits our memory. */
const answerBytesMax = 256 * 1024;

/** Fetches from identity providers: like `fetch`, but with limits on time and size, and without redirects. */
export type UpstreamFetch = (
  address: string,
  request: { method: string; headers: Record<string, string>; body: URLSearchParams | null | undefined },
) => Promise<Response>;

/**
 * Creates a fetch over https (http only on this machine) that follows no redirect and reads the whole response within
 * `timeoutMs`. With `networks` it connects only to the public Internet and to these networks. Any failure throws {@link
 * UpstreamError}, as does a response that reports a problem on the provider's side (429, 5xx).
 */
export const createUpstreamFetch = ({
  timeoutMs,
  networks,
}: {
  timeoutMs: number;
  networks?: Networks;
}): UpstreamFetch => {
  const send: Send = networks === undefined ? fetch : createNarrowFetch(networks);
  return async (address, { method, headers, body }) => {
    if (!isSafeWebUri(address)) throw new UpstreamError("upstream_bad_answer", "an address is not https");
    const answer = await ask(send, address, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.status >= 500 || answer.status === 429) {
      throw new UpstreamError("upstream_unreachable", `it answered with status ${answer.status}`);
    }
    return answer;
  };
};

/**
 * Thrown when a provider that was set up in the console has an address that is neither public nor in an allowed
 * network.
 */
class AddressError extends Error {
  override readonly name = "AddressError";
}

/**
 * Creates a fetch that resolves each name once per connection, and refuses the name if any of its addresses is neither
 * public nor in the given networks.
 */
function createNarrowFetch(networks: Networks): Send {
  const mayConnectTo = (address: string): boolean => isPublicAddress(address) || isWithin(networks, address);
  const lookup: LookupFunction = (host, options, found) => {
    resolve(host, { all: true }, (error, addresses) => {
      const [first] = error === null ? addresses : [];
      if (first === undefined) found(error ?? new Error("no address"), "", 0);
      else if (!addresses.every(({ address }) => mayConnectTo(address))) found(new AddressError(host), "", 0);
      else if (options.all === true) found(null, addresses);
      else found(null, first.address, first.family);
    });
  };
  const dispatcher = new Agent({ connect: { lookup } });
  return async (address, request) => {
    // A connection to an IP address makes no look-up, so the address is checked here.
    const host = new URL(address).hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0 && !mayConnectTo(host)) throw new AddressError(host);
    return fetchVia(address, { ...request, dispatcher });
  };
}

async function ask(send: Send, address: string, request: Request): Promise<Response> {
  try {
    const answer = await send(address, request);
    const { status } = answer;
    const content = await readBody(answer);
    const headers = new Headers();
    for (const name of ["content-type", "www-authenticate"]) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return new Response(bodyless.has(status) ? null : content, { status, headers });
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    if (cause instanceof AddressError || (cause instanceof Error && cause.cause instanceof AddressError)) {
      throw new UpstreamError("upstream_unreachable", "an address is not public", { cause, check: "address" });
    }
    throw new UpstreamError("upstream_unreachable", reasonOf(cause), { cause });
  }
}

/** Statuses that a `Response` with a body cannot have (Fetch, section 2.2.3). */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

async function readBody({ body }: Answered): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream and closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > answerBytesMax) throw new UpstreamError("upstream_bad_answer", "an answer is too large");
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
