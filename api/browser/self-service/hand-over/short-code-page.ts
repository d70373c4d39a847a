import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import { readShortCode } from "../../../../domain/certificate/short-code.ts";
import { pathOn } from "../../../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../../../pages/form-token.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendProblem } from "../../../pages/problem.tsx";
import { redirect } from "../../../pages/redirect.ts";
import { tokenOfHandOver } from "../../../resources/hand-over/hand-over-token.ts";
import { shortCodePath } from "../../../resources/hand-over/hand-over-view.ts";
import { hashesOfShortCode } from "../../../resources/hand-over/short-code.ts";
import { sendShortCode } from "../views/short-code.tsx";

/** `GET /code`: asks for a short code. */
export function showShortCode(page: PageRequest): void {
  ask(page, undefined);
}

/**
 * `POST /code`: redirects to the link of the hand-over whose code was typed, which asks before it is claimed. Throws
 * `too_many_requests`: each code counts before it is looked up, and a right one no longer.
 */
export async function redeemShortCode(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, shortCodePath) });
    return;
  }
  const typed = form.get("code") ?? "";
  const code = readShortCode(typed);
  if (code === undefined) {
    // No guess: no code has this form.
    ask(page, typed);
    return;
  }
  const attempt = await deps.attemptCounter.shortCode({ address: request.ip ?? "" });
  const codeHashes = hashesOfShortCode(deps, code);
  const handOver = await handOvers.findByCode(deps.db, { codeHashes, at: deps.clock.now() });
  if (handOver === undefined) {
    ask(page, typed);
    return;
  }
  await attempt.refund();
  redirect(page, pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`));
}

function ask(page: PageRequest, wrong: string | undefined): void {
  sendShortCode(page, { wrong, hidden: { form_token: formTokenFor(page.deps, page) } });
}
