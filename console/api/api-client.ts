import createClient from "openapi-fetch";
import type { components, paths } from "../../contract-types/api-types.ts";
import { consolePath } from "./page-settings.ts";
import { signInAgain } from "./sign-in.ts";

/** Things of the API, by their names in the published document. */
export type Schemas = components["schemas"];

/** What the API said when it refused, or that it could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** A stable word of the published list, or `offline`. */
  readonly code: string;
  /** 0 when nothing answered. */
  readonly status: number;
  readonly fields: readonly { path: string; reason: string }[];
  /** What a user quotes to the operator of the service. */
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

/** Tells the service that a request comes from this console and not from a page of somebody else's. */
export const consoleHeader = { "X-Realmpass-Console": "1" } as const;

/**
 * A request to the console's own address. Throws {@link ApiError} for every answer that is no success; when nobody is
 * signed in any more, it leads to signing in.
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

/** The API with the types of its published document. Its answers are all successes: see {@link send}. */
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

/** The payload of an answer. */
export async function dataOf<Answer extends { data: unknown }>(
  call: Promise<{ data?: Answer }>,
): Promise<Answer["data"]> {
  return (await answerOf(call)).data;
}

/** The whole wrapper of an answer: for lists, `total` is beside the payload. */
export async function answerOf<Answer>(call: Promise<{ data?: Answer }>): Promise<Answer> {
  const { data } = await call;
  if (data === undefined) throw new ApiError("unexpected_answer", "the answer has no content");
  return data;
}

/** A page of a list: its rows, and how many there are in all. */
export async function listOf<Row>(
  call: Promise<{ data?: { data: Row[]; total?: number } }>,
): Promise<{ data: Row[]; total: number }> {
  const { data, total = data.length } = await answerOf(call);
  return { data, total };
}

/** One creation, one key: pressing a button twice, or sending again after a broken line, makes one of it (Idempotency-Key). */
export const idempotent = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": crypto.randomUUID() });
