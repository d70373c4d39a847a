import { lookup } from "node:dns/promises";
import type { Clock } from "../../runtime/clock.ts";
import { authUrl, baseUrl } from "../../runtime/config/addresses.ts";
import type { Env } from "../../runtime/config/config.ts";
import { untrustedProxyHeader } from "../../runtime/config/networks.ts";
import type { OperatorConfig } from "../context/context.ts";
import { ask, askMsMax, hostOf, whyOf } from "../context/ask.ts";
import { dayOf } from "./certificates.ts";
import { fails, passes, warns, type Check } from "./check.ts";
import { restart, wayOf } from "../context/way.ts";

/** The check warns if the server's certificate expires within this many days. */
const endingDays = 14;

/** Errors of a machine that has no route for a family of addresses: they prove nothing about the server. */
const withoutRoute = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "ENETUNREACH"]);

/** OpenSSL's errors for a chain whose CA Node on this machine does not know; clients may know the CA. */
const withoutIssuer = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Returns the addresses of a host, each once. */
export type AddressesOf = (host: string) => Promise<readonly string[]>;

const addressesInDns: AddressesOf = async (host) => {
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
};

/**
 * Checks that clients reach the api at REALMPASS_BASE_URL, at each address of its host: the discovery document (OpenID
 * Connect Discovery section 4) names our issuer, the api trusts every proxy on the way, and the server's certificate is
 * valid for at least {@link endingDays} days. Returns no check if the variable is not set, as in a trial.
 */
export async function checkBaseUrl(
  { config, clock, env }: { config: OperatorConfig; clock: Clock; env: Env },
  addressesOf: AddressesOf = addressesInDns,
): Promise<Check[]> {
  if (config.REALMPASS_BASE_URL === undefined) return [];
  const base = baseUrl(config);
  const name = "base-url";
  let addresses: readonly string[];
  try {
    addresses = await addressesOf(hostOf(base));
  } catch (error) {
    return [fails(name, `the host of ${base} has no address: ${whyOf(error)}`, remedyOf.address)];
  }

  const signal = AbortSignal.timeout(askMsMax);
  const asked = await Promise.all(
    addresses.map((address) => askAt({ base, issuer: authUrl(config), address, signal })),
  );
  const reached = asked.filter(({ isUnknown }) => !isUnknown);
  const faults = reached.flatMap(({ address, fault }) => (fault === undefined ? [] : [`${address}: ${fault}`]));
  if (faults.length > 0) return [fails(name, `clients do not reach ${base}: ${faults.join("; ")}`, remedyOf.address)];
  if (reached.some(({ isProxyUntrusted }) => isProxyUntrusted)) {
    const remedy = `${remedyOf.proxy} ${restart(wayOf({ config, env }), ["api", "responder"])}`;
    return [fails(name, `at ${base} the api takes a proxy's address for the client's`, remedy)];
  }
  if (reached.length === 0) {
    return [warns(name, `this machine has no route to ${base}`, "Run doctor on a machine that reaches it.")];
  }
  const ends = reached.flatMap(({ end }) => (end === undefined ? [] : [end.getTime()]));
  if (ends.length === 0) return [passes(name, `${base} answers`)];
  const end = new Date(Math.min(...ends));
  const days = Math.floor((end.getTime() - clock.now().getTime()) / 86_400_000);
  if (days < 0) return [fails(name, `the certificate of ${base} ended on ${dayOf(end)}`, remedyOf.certificate)];
  if (reached.some(({ isUntrusted }) => isUntrusted)) {
    const message = `this machine does not trust the certificate of ${base}, which ends on ${dayOf(end)}`;
    return [warns(name, message, remedyOf.issuer)];
  }
  return [
    days < endingDays
      ? warns(name, `the certificate of ${base} ends on ${dayOf(end)}, in ${days} days`, remedyOf.certificate)
      : passes(name, `${base} answers; its certificate is valid for ${days} more days`),
  ];
}

const remedyOf = {
  proxy: "Add the addresses of every proxy to REALMPASS_TRUSTED_PROXIES of apis and responders.",
  address: "Look at the proxy, at its certificate and at the host's addresses in DNS, or correct REALMPASS_BASE_URL.",
  certificate: "Renew it, and let the proxy read it again.",
  issuer: "If its clients do, name the file of its CA in NODE_EXTRA_CA_CERTS; else let the proxy send the whole chain.",
} as const;

interface Asked {
  address: string;
  fault?: string;
  end?: Date | undefined;
  /** This machine does not trust the certificate's issuer. */
  isUntrusted?: boolean;
  /** The api does not trust a proxy on the way, so all clients count as one. */
  isProxyUntrusted?: boolean;
  /** The machine has no route to the address. */
  isUnknown?: true;
}

async function askAt({
  base,
  issuer,
  address,
  signal,
  anyIssuer = false,
}: {
  base: string;
  issuer: string;
  address: string;
  signal: AbortSignal;
  anyIssuer?: boolean;
}): Promise<Asked> {
  try {
    const answer = await ask(`${base}/.well-known/openid-configuration`, { signal, address, anyIssuer });
    if (answer.status !== 200) return { address, fault: `status ${answer.status}${hintOf(answer.status, base)}` };
    const named = issuerIn(answer.body);
    if (named === undefined) return { address, fault: "the answer does not come from an api" };
    if (named !== issuer) return { address, fault: `the api calls itself ${named}, and here it is ${issuer}` };
    const isProxyUntrusted = answer.headers[untrustedProxyHeader] !== undefined;
    return { address, end: answer.certificateEnd, isUntrusted: anyIssuer, isProxyUntrusted };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && withoutRoute.has(code)) return { address, isUnknown: true };
    if (!anyIssuer && code !== undefined && withoutIssuer.has(code)) {
      return askAt({ base, issuer, address, signal, anyIssuer: true });
    }
    return { address, fault: whyOf(error) };
  }
}

/** Returns a hint if the base URL has a path that a proxy may have failed to strip: the api's paths begin at `/`. */
function hintOf(status: number, base: string): string {
  const { pathname } = new URL(base);
  return status === 404 && pathname !== "/" ? `; does the proxy strip ${pathname} from paths?` : "";
}

function issuerIn(body: Buffer): string | undefined {
  try {
    const { issuer } = JSON.parse(body.toString("utf8")) as { issuer?: unknown };
    return typeof issuer === "string" ? issuer : undefined;
  } catch {
    return undefined;
  }
}
