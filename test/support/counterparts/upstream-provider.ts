import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type Configuration } from "oidc-provider";
import { beforeAll } from "vitest";
import { atEndOfFile } from "../run/at-end.ts";

/** A person as the provider knows them. */
export interface UpstreamAccount {
  sub: string;
  [claim: string]: unknown;
}

export interface TestUpstream {
  /** The issuer identifier. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Sets the account of the next sign-in, in a browser without a session at the provider or when the provider must
   * prompt.
   */
  signsIn(account: UpstreamAccount): void;
  /** Refuses the next sign-in. */
  refuses(): void;
  /** How often a user was asked to sign in. */
  readonly asked: number;
  /** Signs with a new key from now on, and publishes only that key. */
  rotateKeys(): Promise<void>;
  /** Accepts no more connections. */
  stop(): Promise<void>;
}

export interface UpstreamOptions {
  /** Returns the URI to which the provider is allowed to redirect people. */
  redirectUri: () => string;
  /** Claims that the provider includes in addition to the usual ones. */
  claims?: readonly string[];
  /** Whether claims are in the id token, instead of only at the userinfo endpoint. */
  claimsInIdToken?: boolean;
  /** How this service authenticates to the provider. */
  authentication?: "client_secret_basic" | "client_secret_post" | "none";
}

/** Starts a listener on a port of this machine whose handler can be replaced. */
export async function startServer(): Promise<{
  url: string;
  listen(listener: RequestListener): void;
  close(): Promise<void>;
}> {
  let current: RequestListener = (_, response) => {
    response.writeHead(503).end();
  };
  const server = createServer((request, response) => {
    current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listen(listener) {
      current = listener;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

let keysMade = 0;

/** Makes a new signing key, private half included. */
export async function makeSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: `key-${++keysMade}`, alg: "RS256", use: "sig" };
}

/**
 * Provides oidc-provider, which is certified for OpenID Connect, on a free port. People sign in as set by {@link
 * TestUpstream.signsIn} without seeing a page, and consent to everything.
 */
export function useUpstreamProvider(options: UpstreamOptions): TestUpstream {
  const { redirectUri, claims = [], claimsInIdToken = false, authentication = "client_secret_basic" } = options;
  const clientId = "realmpass";
  const clientSecret = "a secret: %, &, = and + in it";
  const accounts = new Map<string, UpstreamAccount>();
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let next: UpstreamAccount | undefined;
  let asked = 0;

  const begin = async (): Promise<void> => {
    if (server === undefined) throw new Error("the provider is there from beforeAll on");
    const configuration: Configuration = {
      clients: [
        {
          client_id: clientId,
          ...(authentication === "none" ? {} : { client_secret: clientSecret }),
          token_endpoint_auth_method: authentication,
          redirect_uris: [redirectUri()],
          grant_types: ["authorization_code"],
          response_types: ["code"],
        },
      ],
      clientAuthMethods: [authentication],
      jwks: { keys: [await makeSigningKey()] },
      cookies: { keys: ["a key for a test"] },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      pkce: { required: () => true },
      conformIdTokenClaims: !claimsInIdToken,
      claims: { openid: ["sub", ...claims], email: ["email"], profile: ["name"] },
      findAccount: (_, id) => {
        const account = accounts.get(id);
        return account === undefined ? undefined : { accountId: id, claims: () => account };
      },
      features: { devInteractions: { enabled: false }, resourceIndicators: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      async loadExistingGrant({ oidc }) {
        const { client, session } = oidc;
        if (client === undefined || session?.accountId === undefined) return undefined;
        const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid email profile");
        grant.addOIDCClaims([...claims]);
        await grant.save();
        return grant;
      },
    };
    const provider = new Provider(server.url, configuration);
    const serve = provider.callback();
    server.listen((request, response) => {
      if (request.url?.startsWith("/interaction/") === true) void interact(provider, request, response);
      else void serve(request, response);
    });
  };

  const interact = async (provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked += 1;
    if (next === undefined) {
      await provider.interactionFinished(request, response, { error: "access_denied", error_description: "No." });
    } else {
      await provider.interactionFinished(request, response, { login: { accountId: next.sub } });
    }
  };

  beforeAll(async () => {
    server = await startServer();
    atEndOfFile(() => server?.close());
    await begin();
  });

  return {
    get url() {
      return server?.url ?? "";
    },
    clientId,
    clientSecret,
    signsIn(account) {
      accounts.set(account.sub, account);
      next = account;
    },
    refuses() {
      next = undefined;
    },
    get asked() {
      return asked;
    },
    rotateKeys: begin,
    stop: () => server?.close() ?? Promise.resolve(),
  };
}
