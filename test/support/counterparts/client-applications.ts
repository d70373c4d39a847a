import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import express from "express";
import { auth, type ConfigParams } from "express-openid-connect";
import passport from "passport";
import { Strategy as OAuth2Strategy, type StrategyOptions } from "passport-oauth2";
import { atEnd } from "../run/at-end.ts";
import { ended } from "../run/services.ts";
import { requireTool } from "../run/tools.ts";
import { Auth, type AuthConfig } from "./auth-js.mjs";

/** A third party's web application, on its own port. */
export interface ClientApplication {
  url: string;
}

/** Listens on any free port, until the end of the test or file. */
export async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Registered {
  clientId: string;
  secret: string;
}

/**
 * Starts an application with passport-oauth2, PKCE and state. `/` starts the sign-in, whose outcome is returned as
 * JSON. The application is registered afterwards, because its redirect URI is known only once it listens.
 */
export async function passportApplication(
  issuer: string,
  register: (url: string) => Promise<Registered>,
): Promise<ClientApplication> {
  const app = express();
  const url = await serve((request, response) => void app(request, response));
  const { clientId, secret } = await register(url);
  const verifiers = new Map<string, string>();

  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${issuer}/oauth/authorize`,
      tokenURL: `${issuer}/oauth/token`,
      clientID: clientId,
      clientSecret: secret,
      callbackURL: `${url}/callback`,
      scope: ["openid", "offline_access", "realm.read"],
      pkce: true,
      // Sessions are not under test here: the state serves as the key to the verifier.
      store: {
        store(
          _request: unknown,
          verifier: unknown,
          _state: unknown,
          _meta: unknown,
          done: (error: null, handle: string) => void,
        ) {
          const handle = randomBytes(16).toString("base64url");
          verifiers.set(handle, String(verifier));
          done(null, handle);
        },
        verify(_request: unknown, state: string, done: (error: null, ok: string | false) => void) {
          done(null, verifiers.get(state) ?? false);
        },
      },
    } as StrategyOptions,
    (
      accessToken: string,
      refreshToken: string,
      parameters: unknown,
      _profile: unknown,
      done: (error: null, user: object) => void,
    ) => {
      done(null, { accessToken, refreshToken, parameters });
    },
  );
  const authenticator = new passport.Passport();
  authenticator.use("oauth2", strategy);
  const authenticate = authenticator.authenticate("oauth2", { session: false }) as express.RequestHandler;
  app.get("/", authenticate);
  app.get("/callback", authenticate, (request, response) => {
    response.json(request.user);
  });
  return { url };
}

/**
 * Starts an application with express-openid-connect: every page needs a sign-in, `/` returns the user as JSON, `/renew`
 * returns a new access token, `/logout` signs out. `settings` are options in addition to the required ones.
 */
export async function openidConnectApplication(
  issuer: string,
  register: (url: string) => Promise<Registered>,
  settings: Pick<ConfigParams, "authorizationParams" | "idpLogout">,
): Promise<ClientApplication> {
  const app = express();
  const url = await serve((request, response) => void app(request, response));
  const { clientId, secret } = await register(url);
  app.use(
    auth({
      issuerBaseURL: issuer,
      baseURL: url,
      clientID: clientId,
      clientSecret: secret,
      secret: randomBytes(32).toString("hex"),
      ...settings,
    }),
  );
  app.get("/", (request, response) => {
    const { user, accessToken } = request.oidc;
    response.json({ user, accessToken: accessToken?.access_token });
  });
  app.get("/renew", async (request, response) => {
    const renewed = await request.oidc.accessToken?.refresh();
    response.json({ accessToken: renewed?.access_token });
  });
  return { url };
}

/**
 * Starts an application with Ruby's omniauth_openid_connect, at any port: `/` has the form that starts the sign-in,
 * whose outcome is returned as JSON; `/auth/openid_connect/logout` signs out.
 */
export async function omniauthApplication(
  issuer: string,
  { clientId, secret }: Registered,
): Promise<ClientApplication> {
  const child = spawn(requireTool("ruby"), ["test/support/counterparts/omniauth-application.rb", issuer, clientId], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  atEnd(() => ended(child));
  child.stdin.end(secret);
  const [line] = (await once(createInterface(child.stdout), "line", { signal: closedBefore(child) })) as [string];
  return { url: line };
}

/** Returns a signal that aborts when a program ends. */
function closedBefore(child: ChildProcess): AbortSignal {
  const controller = new AbortController();
  child.once("exit", (code) => {
    controller.abort(new Error(`the program ended with ${code}`));
  });
  return controller.signal;
}

/**
 * Starts an application with @auth/core: `/` starts the sign-in; afterwards `/auth/session` returns the user and the
 * tokens.
 */
export async function authJsApplication(
  issuer: string,
  register: (url: string) => Promise<Registered>,
): Promise<ClientApplication> {
  const configs: AuthConfig[] = [];
  const url = await serve((request, response) => void answer(request, response));
  const { clientId, secret } = await register(url);
  configs.push({
    basePath: "/auth",
    secret: randomBytes(32).toString("hex"),
    trustHost: true,
    providers: [
      {
        id: "realmpass",
        name: "Realmpass",
        type: "oidc",
        issuer,
        clientId,
        clientSecret: secret,
        checks: ["pkce", "state", "nonce"],
        authorization: { params: { scope: "openid offline_access realm.read" } },
      },
    ],
    callbacks: {
      jwt: ({ token, account }) => (account === null || account === undefined ? token : { ...token, account }),
      session: ({ session, token }) => ({ ...session, account: token["account"], sub: token.sub }),
    },
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [config] = configs;
    if (config === undefined) throw new Error("not yet registered");
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    const response = await Auth(
      new Request(new URL(incoming.url ?? "/", url), {
        method: incoming.method ?? "GET",
        headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]),
        ...(body.length > 0 && { body: Buffer.concat(body) }),
      }),
      config,
    );
    outgoing.statusCode = response.status;
    response.headers.forEach((value, name) => {
      if (name !== "set-cookie") outgoing.setHeader(name, value);
    });
    outgoing.setHeader("set-cookie", response.headers.getSetCookie());
    outgoing.end(await response.text());
  }
  return { url };
}
