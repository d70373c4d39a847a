import { Unauthenticated } from "../../http/token-errors.ts";
import type { RequestHandler } from "express";
import * as consoleSessions from "../../../db/queries/sign-in/console-sessions.ts";
import type { ConsoleSession } from "../../../db/queries/sign-in/console-sessions.ts";
import type { Deps } from "../../contract/deps.ts";
import { contextOf } from "../../http/request-context.ts";
import { createAccess } from "./access.ts";
import { findConsole } from "./console-session.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { consoleIdleMinutes } from "../../../domain/lifetimes.ts";

const prefix = "/console";

/** The end of a session in use is postponed at most this often. */
const extendedApartMs = 60_000;

/**
 * `/console/api/…`: the API itself, for a browser with an open console. Forwards the request with the session's access
 * token instead of the cookie, so the console can do exactly what an API client can.
 */
export function createConsoleApi(deps: Deps): RequestHandler {
  const findAccessToken = createAccess(deps);
  return async (request, response, next) => {
    if (!request.url.startsWith(`${prefix}/api/`)) {
      next();
      return;
    }
    contextOf(response).route = `${prefix}/api`;
    delete request.headers.authorization;
    requireSameOrigin(deps, request);
    const session = await findConsole(deps, request);
    if (session === undefined) throw new Unauthenticated({ given: false });
    const accessToken = await findAccessToken(session, request);
    if (request.method !== "GET" && request.method !== "HEAD") await keepAlive(deps, session);

    request.headers.authorization = `Bearer ${accessToken}`;
    request.url = request.url.slice(prefix.length);
    request.originalUrl = request.url;
    next();
  };
}

/** Extends the session on a change, which shows that the user is active. A read does not: pages poll automatically. */
async function keepAlive({ db, clock }: Pick<Deps, "db" | "clock">, session: ConsoleSession): Promise<void> {
  const at = clock.now();
  const idleSince = session.expiresAt.getTime() - consoleIdleMinutes * 60_000;
  const canExtend = session.expiresAt < session.absoluteExpiresAt;
  if (canExtend && at.getTime() - idleSince > extendedApartMs) await consoleSessions.extend(db, { id: session.id, at });
}
