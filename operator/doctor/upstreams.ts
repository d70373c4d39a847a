import * as realms from "../../db/queries/realm/realms.ts";
import type { Context } from "../context/context.ts";
import { isOpenToAnybody } from "../realm/upstream-change.ts";
import { ask, askMsMax, whyOf, type Answer } from "../context/ask.ts";
import { isEnding, dayOf } from "./certificates.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/**
 * Checks each realm's identity provider: its discovery document and its keys let people sign in there, its TLS
 * certificate does not expire soon, and the realm is not open to everyone who has an account there.
 */
export async function checkUpstreams(context: Context): Promise<Check[]> {
  const all = await context.realms();
  return (await Promise.all(all.map((realm) => checkRealm(realm, context.clock.now())))).flat();
}

async function checkRealm(realm: realms.RealmRow, at: Date): Promise<Check[]> {
  const { name: realmName, upstreamIssuer: issuer, upstreamClientId: clientId } = realm;
  const name = `upstream ${realmName}`;
  if (issuer === null && clientId === null) return [];
  if (!realms.hasUpstream(realm)) {
    const missing = issuer === null ? "--upstream-issuer" : "--upstream-client-id";
    return [
      warns(
        name,
        "the identity provider is not used: one of its two settings is missing",
        `Set it with \`realm set --realm ${realmName} ${missing}\`.`,
      ),
    ];
  }
  if (isOpenToAnybody(realm)) {
    return [
      fails(
        name,
        `anybody with an account at ${realm.upstreamIssuer} can use this realm`,
        `Restrict who may use it with \`realm set --realm ${realmName} --may-use NAME=VALUE\`, such as hd=uni.example.`,
      ),
    ];
  }
  return [await checkUpstream(name, realm.upstreamIssuer, at)];
}

async function checkUpstream(name: string, issuer: string, at: Date): Promise<Check> {
  const signal = AbortSignal.timeout(askMsMax);
  try {
    // OpenID Connect Discovery section 4.1.
    const discovered = await ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal });
    const { issuer: named, jwks_uri: keysAt } = documentOf(discovered, "its discovery document");
    if (named !== issuer) throw new Error(`it calls itself ${String(named)}, and we call it ${issuer}`);
    if (typeof keysAt !== "string") throw new Error("its discovery document names no keys");
    const { keys } = documentOf(await ask(keysAt, { signal }), "its keys");
    if (!Array.isArray(keys) || keys.length === 0) throw new Error("it publishes no keys");

    const end = discovered.certificateEnd;
    return end !== undefined && isEnding(end, at)
      ? warns(
          name,
          `the certificate of ${issuer} ends on ${dayOf(end)}`,
          "Inform the operators of the identity provider.",
        )
      : passes(name, `${issuer} answers`);
  } catch (error) {
    return fails(
      name,
      `nobody can sign in through ${issuer}: ${whyOf(error)}`,
      "Ask the operators of the identity provider, or correct it with `realm set --upstream-issuer`.",
    );
  }
}

function documentOf({ status, body }: Answer, what: string): Record<string, unknown> {
  if (status !== 200) throw new Error(`${what} came with status ${status}`);
  try {
    return JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  } catch {
    throw new Error(`${what} cannot be read`);
  }
}
