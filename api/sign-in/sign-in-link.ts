import { Router, type RequestHandler } from "express";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as signInLinks from "../../db/queries/sign-in-links.ts";
import { asServiceError } from "../error-response.ts";
import { hashOfToken } from "../../runtime/secret-token.ts";
import type { Deps } from "../deps.ts";
import { contextOf } from "../request-context.ts";
import { sendPage, type Page } from "./page.ts";

/** What {@link contextOf} logs instead of the address, which is as good as a password. */
const route = "/sign-in/:token";

/** One-time sign-in links. Following one changes nothing, so that a preview of it does not use it up; its button does. */
export function createSignInLinkRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(route)
    .get(page((token) => showButton(deps, token)))
    .post(page((token) => consume(deps, token)))
    .all((_, response) => {
      contextOf(response).route = route;
      response.setHeader("Allow", "GET, HEAD, POST");
      sendPage(response, { status: 405, title: "This does not work here", text: "Please follow the link again." });
    });
  return router;
}

const page =
  (make: (tokenHash: Buffer) => Promise<Page>): RequestHandler =>
  async (request, response) => {
    const context = contextOf(response);
    context.route = route;
    try {
      sendPage(response, await make(hashOfToken(String(request.params["token"]))));
    } catch (error) {
      asServiceError(error, context.log);
      sendPage(response, error instanceof DatabaseUnavailable ? away : broken(context.id));
    }
  };

async function showButton({ db, clock }: Deps, tokenHash: Buffer): Promise<Page> {
  if (!(await signInLinks.isUsable(db, { tokenHash, at: clock.now() }))) return ended;
  return { status: 200, title: "Sign in", text: "This link signs you in, once.", button: "Sign in" };
}

async function consume({ db, clock, log }: Deps, tokenHash: Buffer): Promise<Page> {
  const user = await signInLinks.consume(db, { tokenHash, at: clock.now() });
  if (user === undefined) return ended;
  log.info({ event: "sign_in_link.consumed", realmId: user.realmId, userId: user.userId }, "a sign-in link was used");
  return { status: 200, title: "You are signed in", text: "The link has been used. You can close this window." };
}

const ended: Page = {
  status: 410,
  title: "This link does not work any more",
  text: "It was used already, or its time has run out. Please ask for a new one.",
};

const away: Page = {
  status: 503,
  title: "Please try again shortly",
  text: "A part of the service is away at the moment.",
};

const broken = (requestId: string): Page => ({
  status: 500,
  title: "Something went wrong",
  text: `It is our mistake, and it has been recorded as ${requestId}.`,
});
