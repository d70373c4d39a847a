import { isSafeWebUri } from "../../../domain/uris.ts";
import { reasonOf, UpstreamError } from "./upstream-error.ts";

/** Larger than any document of an identity provider; limits our memory. */
const answerBytesMax = 256 * 1024;

/** Fetches from identity providers: like `fetch`, but with limits on time and size, and without redirects. */
export type UpstreamFetch = (
  address: string,
  request: { method: string; headers: Record<string, string>; body: URLSearchParams | null | undefined },
) => Promise<Response>;

/**
 * Creates a fetch over https (http only on this machine) that follows no redirect and reads the whole response within
 * `timeoutMs`. Throws {@link UpstreamError} if none arrives in time, or if the provider reports trouble of its own
 * (429, 5xx).
 */
export const createUpstreamFetch =
  ({ timeoutMs }: { timeoutMs: number }): UpstreamFetch =>
  async (address, { method, headers, body }) => {
    if (!isSafeWebUri(address)) throw new UpstreamError("upstream_bad_answer", "an address is not https");
    const answer = await ask(address, {
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

async function ask(address: string, request: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(address, request);
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
    throw new UpstreamError("upstream_unreachable", reasonOf(cause), { cause });
  }
}

/** Statuses that a `Response` with a body cannot have (Fetch, section 2.2.3). */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
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
