import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import * as guestAccounts from "../../../../db/queries/people/guest-accounts.ts";
import { readShortCode, type TypedCode } from "../../../../domain/certificate/short-code.ts";
import { ServiceError } from "../../../../domain/errors.ts";
import { hashesOfGuestCode } from "../../../../runtime/keys/guest-code.ts";
import { openUnderMasterKey } from "../../../../runtime/keys/master-key.ts";
import type { CountedAttempt } from "../../../contract/attempt-counter.ts";
import type { Deps } from "../../../contract/deps.ts";
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
 * `POST /code`: redirects to the link of the hand-over or guest account whose code was typed; a hand-over's page asks
 * the user before it claims the hand-over. Counts each well-formed code before looking it up, and refunds a right code.
 * Throws `too_many_requests` over the limit.
 */
export async function redeemShortCode(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, shortCodePath) });
    return;
  }
  const typed = form.get("code") ?? "";
  const read = readShortCode(typed);
  if (read === undefined) {
    // Not counted as a guess: no code has this form.
    deps.metrics.shortCode("malformed");
    ask(page, typed);
    return;
  }
  const attempt = await countAttempt(deps, request.ip ?? "");
  const path = await (read.kind === "handOver" ? findHandOver(deps, read) : findGuestAccount(deps, read));
  deps.metrics.shortCode(path === undefined ? "unknown" : "found");
  if (path === undefined) {
    ask(page, typed);
    return;
  }
  await attempt.refund();
  redirect(page, pathOn(deps, path));
}

async function countAttempt({ attemptCounter, metrics }: Deps, address: string): Promise<CountedAttempt> {
  try {
    return await attemptCounter.shortCode({ address });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "too_many_requests") metrics.shortCode("limited");
    throw error;
  }
}

/** Returns the path of a hand-over's link; undefined if no device can claim a hand-over with this code. */
async function findHandOver(deps: Deps, { code }: TypedCode): Promise<string | undefined> {
  const codeHashes = hashesOfShortCode(deps, code);
  const handOver = await handOvers.findByCode(deps.db, { codeHashes, at: deps.clock.now() });
  return handOver && `/d/${tokenOfHandOver(deps, handOver)}`;
}

/** Returns the path of a guest account's link; undefined if no account has the code, or the account is revoked. */
async function findGuestAccount({ db, masterKeys }: Deps, { code }: TypedCode): Promise<string | undefined> {
  const found = await guestAccounts.findTokenByCode(db, { codeHashes: hashesOfGuestCode(masterKeys, code) });
  if (found === undefined) return undefined;
  const token = openUnderMasterKey(masterKeys, found.tokenSealed, guestAccounts.tokenContext(found.tokenHash));
  return `/guest/${encodeURIComponent(token.toString("utf8"))}`;
}

function ask(page: PageRequest, wrong: string | undefined): void {
  sendShortCode(page, { wrong, hidden: { form_token: formTokenFor(page.deps, page) } });
}
