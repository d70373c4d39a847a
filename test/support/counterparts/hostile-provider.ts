import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { base64url, importJWK, SignJWT, type JWK } from "jose";
import { beforeAll } from "vitest";
import { systemClock } from "../../../runtime/clock.ts";
import { atEndOfFile } from "../run/at-end.ts";
import { makeSigningKey, startServer } from "./upstream-provider.ts";

/** The documents and endpoints that a provider has. */
export type UpstreamPlace = "discovery" | "jwks" | "authorize" | "token" | "userinfo";

/** A handler that responds for a place, correctly or not. */
export type HostileResponse = (request: IncomingMessage, response: ServerResponse) => void;

export interface HostileProvider {
  readonly url: string;
  /** Replaces the responses of one place from now on; undefined restores the correct responses. */
  lie(place: UpstreamPlace, lie: HostileResponse | undefined): void;
  /** Changes an otherwise true document. */
  change(place: "discovery" | "token" | "userinfo", change: (document: Record<string, unknown>) => object): void;
  /** Changes the parameters of the redirect back. */
  changeAnswer(change: (parameters: URLSearchParams) => void): void;
  /** Changes claims of the id token, or signs it with another key. */
  changeIdToken(change: {
    claims?: Record<string, unknown>;
    header?: Record<string, unknown>;
    key?: JWK;
    none?: boolean;
  }): void;
  /** Returns how many requests a place has had since the last {@link HostileProvider.behave}. */
  asked(place: UpstreamPlace): number;
  /** Ends all lies; moves to a new address, because documents are cached by address. */
  behave(): Promise<void>;
  /** The published key. */
  readonly key: JWK;
}

/** Provides a small identity provider whose responses a test can falsify. It signs everyone in as `somebody`. */
export function useHostileProvider(): HostileProvider {
  const lies = new Map<UpstreamPlace, HostileResponse>();
  const changes = new Map<UpstreamPlace, (document: Record<string, unknown>) => object>();
  const counts = new Map<UpstreamPlace, number>();
  const requests = new Map<string, { nonce: string; clientId: string }>();
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let key: JWK = {};
  let changeAnswer: (parameters: URLSearchParams) => void = () => undefined;
  let idToken: Parameters<HostileProvider["changeIdToken"]>[0] = {};

  const url = (): string => server?.url ?? "";

  const idTokenFor = async ({ nonce, clientId }: { nonce: string; clientId: string }): Promise<string> => {
    const now = Math.floor(systemClock.now().getTime() / 1000);
    const payload = { iss: url(), aud: clientId, sub: "somebody", nonce, iat: now, exp: now + 300, ...idToken.claims };
    if (idToken.none === true) {
      const part = (value: object): string => base64url.encode(JSON.stringify(value));
      return `${part({ alg: "none" })}.${part(payload)}.`;
    }
    const signing = idToken.key ?? key;
    return new SignJWT(payload)
      .setProtectedHeader({ alg: signing.alg ?? "", kid: signing.kid ?? "", ...idToken.header })
      .sign(await importJWK(signing));
  };

  const places: Record<UpstreamPlace, HostileResponse> = {
    discovery(_, response) {
      sendDocument(response, "discovery", {
        issuer: url(),
        authorization_endpoint: `${url()}/authorize`,
        token_endpoint: `${url()}/token`,
        userinfo_endpoint: `${url()}/userinfo`,
        jwks_uri: `${url()}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      });
    },
    jwks(_, response) {
      const { kty, n, e, kid, alg, use } = key;
      sendDocument(response, "jwks", { keys: [{ kty, n, e, kid, alg, use }] });
    },
    authorize(request, response) {
      const { searchParams } = new URL(request.url ?? "", url());
      const code = randomBytes(8).toString("hex");
      requests.set(code, {
        nonce: searchParams.get("nonce") ?? "",
        clientId: searchParams.get("client_id") ?? "",
      });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: url() }).toString();
      changeAnswer(back.searchParams);
      response.writeHead(303, { location: back.href }).end();
    },
    token(request, response) {
      void answerWithTokens(request, response);
    },
    userinfo(_, response) {
      sendDocument(response, "userinfo", { sub: "somebody", email: "somebody@example.org" });
    },
  };

  const answerWithTokens = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const found = requests.get(new URLSearchParams(body).get("code") ?? "");
    const id_token = found === undefined ? undefined : await idTokenFor(found);
    sendDocument(response, "token", { access_token: "an access token", token_type: "Bearer", id_token });
  };

  const sendDocument = (response: ServerResponse, place: UpstreamPlace, document: Record<string, unknown>): void => {
    const changed = changes.get(place)?.(document) ?? document;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(changed));
  };

  const placeOf = (path: string): UpstreamPlace =>
    path.startsWith("/.well-known/") ? "discovery" : (path.slice(1).split("?")[0] as UpstreamPlace);

  const behave = async (): Promise<void> => {
    await server?.close();
    lies.clear();
    changes.clear();
    counts.clear();
    changeAnswer = () => undefined;
    idToken = {};
    server = await startServer();
    server.listen((request, response) => {
      const place = placeOf(request.url ?? "");
      counts.set(place, (counts.get(place) ?? 0) + 1);
      (lies.get(place) ?? places[place])(request, response);
    });
  };

  beforeAll(async () => {
    key = await makeSigningKey();
    await behave();
    atEndOfFile(() => server?.close());
  });

  return {
    get url() {
      return url();
    },
    get key() {
      return key;
    },
    lie(place, lie) {
      if (lie === undefined) lies.delete(place);
      else lies.set(place, lie);
    },
    change(place, change) {
      changes.set(place, change);
    },
    changeAnswer(change) {
      changeAnswer = change;
    },
    changeIdToken(change) {
      idToken = change;
    },
    asked: (place) => counts.get(place) ?? 0,
    behave,
  };
}
