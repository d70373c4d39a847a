import createClient from "openapi-fetch";
import type { components, paths } from "../../contract-types/api-types.ts";
import { consolePath } from "./page-settings.ts";
import { signInAgain } from "./sign-in.ts";

/** The API's schemas, by their names in the published OpenAPI document. */
export type Schemas = components["schemas"];

/** The API refused a request, or the request did not reach the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** A stable error code of the published list, or the console's own, such as `offline`. */
  readonly code: string;
  /** The HTTP status of an unsuccessful response; 0 for any other failure. */
  readonly status: number;
  readonly fields: readonly { path: string; reason: string }[];
  /** The id that the user quotes to the operator of the service. */
  readonly requestId: string | undefined;

  constructor(code: string, message: string, { status = 0, fields = [], requestId, ...rest }: ApiErrorDetails = {}) {
    super(message, rest);
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
  }
}

interface ApiErrorDetails extends ErrorOptions {
  status?: number;
  fields?: readonly { path: string; reason: string }[];
  requestId?: string | undefined;
}

/** Marks a request as coming from this console, not from another site. */
export const consoleHeader = { "X-Realmpass-Console": "1" } as const;

/**
 * Sends a request below the console's path. Throws {@link ApiError} for every unsuccessful response, and if there is no
 * response; a 401 also opens the sign-in page. An aborted request throws its `AbortError`.
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(consoleHeader)) headers.set(name, value);
  let response: Response;
  try {
    response = await fetch(`${consolePath}${path}`, { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("offline", "offline", { cause: error });
  }
  if (response.ok) return response;
  if (response.status === 401) signInAgain();
  throw await refusalOf(response);
}

interface RefusalBody {
  error?: string;
  error_description?: string;
  request_id?: string;
  fields?: { path: string; reason: string }[];
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as RefusalBody;
  return new ApiError(body.error ?? "unexpected_answer", body.error_description ?? response.statusText, {
    status: response.status,
    fields: body.fields ?? [],
    requestId: body.request_id ?? response.headers.get("X-Request-Id") ?? undefined,
  });
}

/** The API, with the types from its OpenAPI document. Returns only successful responses: see {@link send}. */
export const api = createClient<paths>({
  baseUrl: "https://console.invalid",
  headers: { Accept: "application/json" },
  async fetch(request: Request) {
    const { pathname, search } = new URL(request.url);
    const body = request.method === "GET" || request.method === "HEAD" ? null : await request.text();
    return send(`${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      body: body === "" ? null : body,
      signal: request.signal,
    });
  },
});

/** Returns the payload of a response. */
export async function dataOf<Answer extends { data: unknown }>(
  call: Promise<{ data?: Answer }>,
): Promise<Answer["data"]> {
  return (await answerOf(call)).data;
}

/** Returns the whole response body: lists contain `total` next to the payload. */
export async function answerOf<Answer>(call: Promise<{ data?: Answer }>): Promise<Answer> {
  const { data } = await call;
  if (data === undefined) throw new ApiError("unexpected_answer", "the answer has no content");
  return data;
}

/** Returns the rows and the total from a page of a list. */
export async function listOf<Row>(
  call: Promise<{ data?: { data: Row[]; total?: number } }>,
): Promise<{ data: Row[]; total: number }> {
  const { data, total = data.length } = await answerOf(call);
  return { data, total };
}

/**
 * Returns a header with a new Idempotency-Key. The caller sends the same header again after a second click or a lost
 * connection, so nothing is done twice.
 */
export const idempotent = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": crypto.randomUUID() });
