import { randomUUID } from "node:crypto";
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../contract-types/api-types.ts";
import { CommandError } from "../../terminal/failure.ts";
import { fetchAccessToken } from "./access-token.ts";
import type { Credentials } from "./credentials.ts";
import { fetchWithRetry, type RetryOptions } from "./fetch-with-retry.ts";
import { refusalOf } from "./refusal.ts";

/** A request with a streamed body or response. */
export interface StreamedRequest {
  method: "GET" | "POST";
  /** The path with the query, relative to the service's address. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Opens the body. Called once for each attempt. */
  body?: () => ReadableStream<Uint8Array>;
  /** If false, the body can be read only once, so there is one attempt. */
  repeatable?: boolean;
  /** Aborts the request. */
  signal?: AbortSignal;
}

/** Calls the service as the signed-in client. Every unsuccessful response is thrown as a failure. */
export interface ServiceClient {
  api: Client<paths>;
  stream(request: StreamedRequest): Promise<Response>;
}

/** Longer than the longest wait that a request asks for. */
const answerTimeoutMs = 120_000;

/**
 * Creates a client that fetches a token before its first call, and a new token when the old one has expired. Each
 * changing call has its own Idempotency-Key, which stays the same in all attempts.
 */
export function createServiceClient(credentials: Credentials, retry: RetryOptions): ServiceClient {
  let token: Promise<string> | undefined;

  async function authorized(
    send: (headers: Headers) => Promise<Response>,
    method: string,
    repeatable = true,
  ): Promise<Response> {
    const idempotencyKey = method === "GET" ? undefined : randomUUID();
    for (let renewed = false; ; renewed = true) {
      const bearer = await (token ??= fetchAccessToken(credentials, retry));
      const headers = new Headers({ Authorization: `Bearer ${bearer}`, "x-api-version": "1.0" });
      if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
      const response = await fetchWithRetry(() => send(headers), { ...retry, repeatable });
      if (response.ok) return response;
      const refusal = await refusalOf(response);
      if (response.status !== 401 || renewed || !repeatable) throw refusal;
      token = undefined;
    }
  }

  const api = createClient<paths>({
    baseUrl: credentials.url,
    headers: { Accept: "application/json" },
    async fetch(request: Request) {
      const response = await authorized((headers) => {
        const signal = AbortSignal.any([retry.interrupted, AbortSignal.timeout(answerTimeoutMs)]);
        return fetch(
          new Request(request.clone(), { headers: merged(request.headers, headers), redirect: "error", signal }),
        );
      }, request.method);
      if (!isJson(response))
        throw new CommandError("unexpected_answer", "The response is not JSON. Is this the service's address?");
      return response;
    },
  });

  return {
    api,
    stream: ({ method, path, headers: given = {}, body, repeatable = true, signal }) =>
      authorized(
        (headers) =>
          fetch(`${credentials.url}${path}`, {
            method,
            headers: merged(new Headers(given), headers),
            redirect: "error",
            signal: signal === undefined ? retry.interrupted : AbortSignal.any([retry.interrupted, signal]),
            ...(body === undefined ? {} : { body: body(), duplex: "half" }),
          }),
        method,
        repeatable,
      ),
  };
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers.get("Content-Type") ?? "");

function merged(first: Headers, second: Headers): Headers {
  const both = new Headers(first);
  second.forEach((value, name) => {
    both.set(name, value);
  });
  return both;
}

/** Returns the data of a call's response. */
export async function answerOf<Answer>(call: Promise<{ data?: Answer }>): Promise<Answer> {
  const { data } = await call;
  if (data === undefined) throw new CommandError("unexpected_answer", "The service's response is empty.");
  return data;
}
