import { X509Certificate } from "node:crypto";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { appsPath } from "../../domain/onboarding-apps.ts";
import { authUrl } from "../../runtime/config/addresses.ts";
import type { Context } from "../context/context.ts";
import { ask, askMsMax, whyOf, type Answer } from "../context/ask.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/**
 * Checks each realm that uses the geteduroam apps: its address, requested as an app does, and the CAs of its RADIUS
 * server, because some apps refuse certain CAs.
 */
export async function checkApps(context: Context): Promise<Check[]> {
  const realms = (await context.realms()).filter(({ onboardingApps }) => onboardingApps);
  return Promise.all(
    realms.map(async (realm) => {
      const base = `${authUrl(context.config)}${appsPath(realm.name)}`;
      const name = `apps ${realm.name}`;
      if (!base.startsWith("https:")) {
        return warns(
          name,
          `the apps use https alone, and the address is ${base}`,
          "Set an https address in REALMPASS_BASE_URL, or REALMPASS_AUTH_URL.",
        );
      }
      const fault = await faultAt(base);
      if (fault !== undefined) {
        return fails(name, `no app can use ${base}: ${fault}`, "Let the proxy pass /letswifi/ to the apis unchanged.");
      }
      const refused = faultOfCas(realm);
      return refused === undefined
        ? passes(name, `${base} answers as the apps need`)
        : warns(name, refused.fault, refused.remedy);
    }),
  );
}

async function faultAt(base: string): Promise<string | undefined> {
  try {
    return faultOfAnswer(await ask(base, { signal: AbortSignal.timeout(askMsMax) }), base);
  } catch (error) {
    return whyOf(error);
  }
}

/** Returns why an app refuses the endpoints of an address; undefined if it accepts them. */
export function faultOfAnswer({ status, headers, body }: Pick<Answer, "status" | "headers" | "body">, base: string) {
  if (status !== 200) return `status ${status}`;
  const type = headers["content-type"] ?? "";
  if (type !== "application/json") return `its type is ${type}, not application/json alone`;
  const addresses = addressesIn(body);
  if (addresses === undefined) return "the answer does not come from an api";
  const other = addresses.find((address) => !address.startsWith(base));
  return other === undefined ? undefined : `it names ${other}`;
}

function addressesIn(body: Buffer): string[] | undefined {
  try {
    const document = JSON.parse(body.toString("utf8")) as Record<string, Record<string, unknown> | undefined>;
    const addresses = Object.values(document["http://letswifi.app/api#v2"] ?? {});
    const all = addresses.filter((address) => typeof address === "string");
    return all.length > 0 && all.length === addresses.length ? all : undefined;
  } catch {
    return undefined;
  }
}

const chainRemedy = "Name the whole chain of the RADIUS server's certificate with `realm set --radius-ca-file`.";
const rootRemedy =
  "Leave one self-signed CA with `realm set --radius-ca-file` once devices no longer need the other, or set no `--rcoi` until then.";

/**
 * Returns why an app refuses the CAs of a realm's RADIUS server; undefined if it accepts them, or if the realm's own
 * CAs are used.
 */
export function faultOfCas({
  radiusCa,
  rcois,
}: Pick<RealmRow, "radiusCa" | "rcois">): { fault: string; remedy: string } | undefined {
  if (radiusCa === null) return undefined;
  const all = (radiusCa.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );
  const notCa = all.find(({ ca }) => !ca);
  if (notCa !== undefined) {
    return { fault: `apps on Android ignore ${oneLine(notCa.subject)}, which is no CA`, remedy: chainRemedy };
  }
  const selfSigned = all.filter((each) => each.subject === each.issuer && each.verify(each.publicKey));
  if (selfSigned.length === 0) {
    return {
      fault: "apps on Android need a self-signed CA among those of the RADIUS server",
      remedy: chainRemedy,
    };
  }
  if (rcois.length > 0 && selfSigned.length > 1) {
    return {
      fault: `apps on Android set up no Passpoint: it needs one self-signed CA, and ${selfSigned.length} are named`,
      remedy: rootRemedy,
    };
  }
  return undefined;
}

const oneLine = (name: string): string => name.replaceAll("\n", ", ");
