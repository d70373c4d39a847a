import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { Refused, refuse, type Network } from "./eap-config-rules.ts";

/**
 * The geteduroam apps as they behave on the wire, written from their sources: the order of their requests, headers, time
 * limits, and the rules for each answer. An app that stops throws `Refused` with the reason.
 */

export type Headers = Record<string, string | readonly string[]>;

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A request as an app sent it. */
export interface Sent {
  method: "GET" | "POST";
  url: string;
  headers: Headers;
  body: string;
}

export type AppFormat = "eap-config" | "mobileconfig";

interface Asking {
  headers: Headers;
  /** The app gives up after this many milliseconds; omitted: it never gives up. */
  withinMs?: number;
}

/** The requests and rules of an app on one platform. */
export interface App {
  name: string;
  clientId: string;
  redirect: { scheme: string } | { loopback: "127.0.0.1" | "[::1]"; port: () => number };
  /** Returns the address that the app requests for the text that the person typed. */
  address(typed: string): string;
  /** `computes`: the app sends no discovery request, but appends the fixed paths to the base. */
  discovery: (Asking & { isJson: (contentType: string) => boolean }) | "computes";
  /** The parameters of the authorization request, in the app's order. */
  parameters: readonly string[];
  encode?: (text: string) => string;
  token: Asking & {
    fields: readonly string[];
    /** The properties that the answer must have. */
    needs: readonly string[];
    /** The token type that the answer must name, compared case-sensitively; omitted: the app does not check it. */
    type?: string;
  };
  file: Asking;
  /** The files that the app fetches, one after the other, with the same token. */
  fetches: readonly AppFormat[];
  /** Returns the error that the app shows instead of reading the answer; undefined: the app reads the answer. */
  failure(answer: Received, format: AppFormat): string | undefined;
  /** Reads the last file. Throws `Refused` with the reason. */
  read: (file: Buffer, now: Date) => Network;
}

/** The device and the person that an app runs with. */
export interface Surroundings {
  /**
   * Opens an address in the person's browser, where the person signs in and taps. Resolves with the address to which
   * the browser leaves our pages.
   */
  browse: (url: string) => Promise<string>;
  /** PEM of the certificates that the device trusts for https. */
  ca?: string;
  now(): Date;
}

export interface Endpoints {
  authorization_endpoint: string;
  token_endpoint: string;
  eapconfig_endpoint: string;
  mobileconfig_endpoint?: string;
}

export interface Redirected {
  code: string;
  verifier: string;
  redirectUri: string;
}

export interface SetUp {
  network: Network;
  files: Buffer[];
  token: string;
  endpoints: Endpoints;
  requests: Sent[];
}

/** One installation of an app; a test can run the app's steps one by one. */
export interface Installation {
  /** All requests so far. */
  readonly requests: Sent[];
  discover(typed: string): Promise<Endpoints>;
  /** Sends the person to the browser and waits for the redirect. */
  authorize(endpoints: Endpoints): Promise<Redirected>;
  /** Returns the access token. */
  redeem(endpoints: Endpoints, redirected: Redirected): Promise<string>;
  /** Posts for one file; the answer may be a refusal. */
  post(endpoints: Endpoints, token: string, format?: AppFormat): Promise<Received>;
  /** Runs all steps, from the typed address to the network that is set up. */
  setUp(typed: string): Promise<SetUp>;
}

const protocol = "http://letswifi.app/api#v2";
const redirectsMax = 10;

export function install(app: App, surroundings: Surroundings): Installation {
  const requests: Sent[] = [];
  const encode = app.encode ?? encodeURIComponent;
  const pairs = (names: readonly string[], values: Record<string, string>): string =>
    names.map((name) => `${encode(name)}=${encode(values[name] ?? refuse(`no ${name}`))}`).join("&");

  /** Follows redirects as every platform's client does: with GET and without the body. */
  async function send(sent: Sent, withinMs: number | undefined, left = redirectsMax): Promise<Received> {
    requests.push(sent);
    const answer = await exchange(sent, withinMs, surroundings.ca);
    const { location } = answer.headers;
    if (location === undefined || ![301, 302, 303].includes(answer.status) || left === 0) return answer;
    const { "Content-Type": _type, ...headers } = sent.headers;
    return send({ method: "GET", url: new URL(location, sent.url).href, headers, body: "" }, withinMs, left - 1);
  }

  const installation: Installation = {
    requests,

    async discover(typed) {
      const url = app.address(typed);
      if (app.discovery === "computes") return computed(url);
      const { headers, withinMs, isJson } = app.discovery;
      const answer = await send({ method: "GET", url, headers, body: "" }, withinMs);
      if (answer.status < 200 || answer.status > 299) refuse(`${answer.status} at ${url}`);
      if (!isJson(answer.headers["content-type"] ?? "")) refuse(`unknown type ${answer.headers["content-type"] ?? ""}`);
      const { [protocol]: endpoints } = json(answer) as Partial<Record<string, Endpoints>>;
      return endpoints ?? refuse("not letswifi");
    },

    async authorize({ authorization_endpoint }) {
      const verifier = randomBytes(32).toString("base64url");
      const state = randomBytes(16).toString("base64url");
      const arrival = await arrivalOf(app);
      const values = {
        response_type: "code",
        client_id: app.clientId,
        redirect_uri: arrival.redirectUri,
        scope: "eap-metadata",
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        nonce: randomBytes(16).toString("base64url"),
      };
      try {
        // Windows appends a question mark, so an endpoint with a query does not work.
        const left = await surroundings.browse(`${authorization_endpoint}?${pairs(app.parameters, values)}`);
        const { searchParams: answered } = await arrival.follow(left);
        if (answered.get("state") !== state) refuse("the state is another one");
        const error = answered.get("error");
        if (error !== null) refuse(error);
        return { code: answered.get("code") ?? refuse("no code"), verifier, redirectUri: arrival.redirectUri };
      } finally {
        arrival.close();
      }
    },

    async redeem({ token_endpoint }, { code, verifier, redirectUri }) {
      const { headers, withinMs, fields, needs, type } = app.token;
      const values = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        client_id: app.clientId,
        code_verifier: verifier,
      };
      const body = pairs(fields, values);
      const answer = await send({ method: "POST", url: token_endpoint, headers, body }, withinMs);
      if (answer.status < 200 || answer.status > 299) refuse(`${answer.status} for the code`);
      const token = json(answer) as Partial<Record<string, unknown>>;
      for (const name of needs) if (token[name] === undefined) refuse(`no ${name}`);
      if (type !== undefined && token["token_type"] !== type) refuse(`the token is no ${type}`);
      return String(token["access_token"]);
    },

    post({ eapconfig_endpoint, mobileconfig_endpoint }, token, format = "eap-config") {
      const url = format === "eap-config" ? eapconfig_endpoint : mobileconfig_endpoint;
      const { headers, withinMs } = app.file;
      const sent = { ...headers, Authorization: `Bearer ${token}` };
      return send({ method: "POST", url: url ?? refuse(`no ${format}`), headers: sent, body: "" }, withinMs);
    },

    async setUp(typed) {
      const endpoints = await installation.discover(typed);
      const token = await installation.redeem(endpoints, await installation.authorize(endpoints));
      const files: Buffer[] = [];
      for (const format of app.fetches) {
        const answer = await installation.post(endpoints, token, format);
        const failure = app.failure(answer, format);
        if (failure !== undefined) refuse(failure);
        files.push(answer.body);
      }
      const network = app.read(files.at(-1) ?? refuse("no file"), surroundings.now());
      return { network, files, token, endpoints, requests };
    },
  };
  return installation;
}

/** Returns the addresses that lie below the base by convention. */
function computed(url: string): Endpoints {
  const base = url.replace(/\/?$/, "/");
  return {
    authorization_endpoint: `${base}oauth/authorize/`,
    token_endpoint: `${base}oauth/token/`,
    eapconfig_endpoint: `${base}api/eap-config/`,
  };
}

function json({ body }: Received): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return refuse("not JSON");
  }
}

interface Arrival {
  redirectUri: string;
  /** Returns the address that the app receives when the browser is redirected. */
  follow(location: string): Promise<URL>;
  close(): void;
}

/** Prepares the place where the app waits for the browser: its own scheme, or a port of this machine. */
async function arrivalOf({ redirect }: App): Promise<Arrival> {
  if ("scheme" in redirect) {
    return {
      redirectUri: redirect.scheme,
      follow: (location) => {
        // The system opens the app that has registered the scheme.
        if (!location.startsWith(redirect.scheme)) refuse(`the browser went to ${location}`);
        return Promise.resolve(new URL(location));
      },
      close: () => undefined,
    };
  }
  const server = createServer();
  const host = redirect.loopback.replace(/[[\]]/g, "");
  for (let tries = 0; !server.listening; tries += 1) {
    server.listen(redirect.port(), host);
    // Another program may be using the port that the app drew.
    await Promise.race([once(server, "listening"), once(server, "error")]).catch((error: unknown) => {
      if (tries > 10) throw error;
    });
  }
  const redirectUri = `http://${redirect.loopback}:${(server.address() as AddressInfo).port}/`;
  const arrived = new Promise<URL>((resolve) => {
    server.once("request", (request, response) => {
      response.end("You may close this window.");
      resolve(new URL(request.url ?? "/", redirectUri));
    });
  });
  return {
    redirectUri,
    async follow(location) {
      if (!location.startsWith(redirectUri)) refuse(`the browser went to ${location}`);
      await exchange(
        { method: "GET", url: location, headers: { Connection: "close" }, body: "" },
        undefined,
        undefined,
      );
      return arrived;
    },
    close: () => server.close(),
  };
}

/** Sends one request with exactly these headers, on a new connection. */
function exchange(
  { method, url, headers, body }: Sent,
  withinMs: number | undefined,
  ca: string | undefined,
): Promise<Received> {
  const target = new URL(url);
  const options = {
    method,
    agent: false as const,
    headers: {
      ...headers,
      ...(method === "POST" && { "Content-Length": String(Buffer.byteLength(body)) }),
    } as Record<string, string>,
    ...(withinMs !== undefined && { signal: AbortSignal.timeout(withinMs) }),
  };
  return new Promise<Received>((resolve, reject) => {
    const sent =
      target.protocol === "https:"
        ? httpsRequest(target, { ...options, ...(ca !== undefined && { ca }) })
        : httpRequest(target, options);
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.end(body);
  }).catch((error: unknown) => {
    if (error instanceof Error && error.name === "AbortError") throw new Refused("no answer in time");
    throw error;
  });
}
