/** What a new realm needs until its first devices are on the network, in the order in which it is done. */
export const setupSteps = [
  "sign_in",
  "domain",
  "wifi",
  "radius_certificate",
  "radius_asks",
  "own_device",
  "people",
  "second_administrator",
] as const;
export type SetupStep = (typeof setupSteps)[number];

/** `set`: it is prepared, and nobody has used it yet. */
export const setupStates = ["todo", "set", "done", "warning"] as const;
type SetupState = (typeof setupStates)[number];

/** Where a step is done; null: with a command of the operator, on the server. */
export const setupPages = ["settings", "infrastructure", "guide", "own_devices", "onboarding", "users"] as const;
type SetupPage = (typeof setupPages)[number];

export const pageOfStep = {
  sign_in: null,
  domain: null,
  wifi: "settings",
  radius_certificate: "infrastructure",
  radius_asks: "guide",
  own_device: "own_devices",
  people: "onboarding",
  second_administrator: "users",
} as const satisfies Record<SetupStep, SetupPage | null>;

/** The networks of a realm that nobody has named any for. */
const defaultSsids = ["eduroam"];

/** What is known of a realm. */
export interface SetupFacts {
  domain: string;
  ssids: readonly string[];
  /** The CA of a RADIUS server whose certificate is another's. */
  hasRadiusCa: boolean;
  /** The identity provider, and whether somebody came through it; null: there is none. */
  provider: { issuer: string; wasUsed: boolean } | null;
  /** Two at most: more are not counted. */
  administrators: readonly SetupAdministrator[];
  /** When the certificate of the realm's RADIUS server ends; null: there is none that is good. */
  serverCertificateEndsAt: Date | null;
  /** Who asked about certificates, the latest first. */
  askers: readonly { address: string; lastAt: Date }[];
  /** Of administrators: whether one has an active profile, and when one was last asked about. */
  ownDevice: { hasProfile: boolean; checkedAt: Date | null };
  /** Whether somebody who is no administrator has a profile. */
  peopleHaveProfiles: boolean;
}

export interface SetupAdministrator {
  /** Whether they can sign in with a password. */
  hasPassword: boolean;
  /** Whether they came through the realm's identity provider. */
  isKnownToProvider: boolean;
  /** The provider's claims decide who is administrator, and do not say so of them: they were kept as the last one. */
  isKept: boolean;
}

/** Addresses that asked since then are there now. */
const askedSince = (at: Date): number => at.getTime() - 24 * 3_600_000;

/** Those who asked within a day. */
export const currentAskers = (facts: SetupFacts, at: Date): SetupFacts["askers"] =>
  facts.askers.filter(({ lastAt }) => lastAt.getTime() > askedSince(at));

/** How far each step is. */
export function stepStates(facts: SetupFacts, at: Date): Record<SetupStep, SetupState> {
  const ownDevice = facts.ownDevice.checkedAt !== null ? "done" : facts.ownDevice.hasProfile ? "set" : "todo";
  const hasOtherNetworks =
    facts.ssids.length !== defaultSsids.length || facts.ssids.some((ssid) => !defaultSsids.includes(ssid));
  return {
    sign_in: signInState(facts),
    domain: facts.domain.endsWith(".example") ? "todo" : "done",
    wifi: hasOtherNetworks || ownDevice === "done" ? "done" : "todo",
    radius_certificate: facts.serverCertificateEndsAt !== null || facts.hasRadiusCa ? "done" : "todo",
    radius_asks: facts.askers.length === 0 ? "todo" : currentAskers(facts, at).length === 0 ? "warning" : "done",
    own_device: ownDevice,
    people: facts.peopleHaveProfiles ? "done" : "todo",
    second_administrator:
      facts.administrators.length > 1 ? "done" : facts.administrators.some(({ isKept }) => isKept) ? "warning" : "todo",
  };
}

function signInState({ administrators: [only, ...others], provider }: SetupFacts): SetupState {
  // Who came by a link alone is shut out once they sign out.
  if (only !== undefined && others.length === 0 && !only.hasPassword && !only.isKnownToProvider) return "warning";
  if (provider === null) return "todo";
  return provider.wasUsed ? "done" : "set";
}
