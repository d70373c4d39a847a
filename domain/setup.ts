/** The steps of a new realm until its first devices are on the network, in order. */
export const setupSteps = [
  "domain",
  "sign_in",
  "wifi",
  "radius_certificate",
  "radius_asks",
  "own_device",
  "people",
  "second_administrator",
] as const;
export type SetupStep = (typeof setupSteps)[number];

/** `set`: prepared, but not used yet. */
export const setupStates = ["todo", "set", "done", "warning"] as const;
type SetupState = (typeof setupStates)[number];

/**
 * The page for a step; null: the operator runs a command on the server. The page for `sign_in` is `settings` while the
 * sign-in can be set there.
 */
export const setupPages = ["settings", "infrastructure", "guide", "own_devices", "onboarding", "users"] as const;
type SetupPage = (typeof setupPages)[number];

export const pageOfStep = {
  domain: null,
  sign_in: null,
  wifi: "settings",
  radius_certificate: "infrastructure",
  radius_asks: "guide",
  own_device: "own_devices",
  people: "onboarding",
  second_administrator: "users",
} as const satisfies Record<SetupStep, SetupPage | null>;

/** The example realm in the commands of the step `domain`; the console replaces it with the current realm. */
export const newRealm = { name: "wifi", domain: "wifi.example.org" } as const;

/** The networks of a realm that names no network. */
const defaultSsids = ["eduroam"];

/** The facts about a realm that decide the states of its steps. */
export interface SetupFacts {
  domain: string;
  ssids: readonly string[];
  /** Whether somebody has set the networks, even if they equal the default. */
  areSsidsConfirmed: boolean;
  /** Whether the realm has the CA of a RADIUS server certificate that another CA issued. */
  hasRadiusCa: boolean;
  /** The identity provider, and whether a user has signed in through it; null: no provider. */
  provider: { issuer: string; wasUsed: boolean } | null;
  /** At most two administrators, those who can sign in first; any further administrators are left out. */
  administrators: readonly SetupAdministrator[];
  /** When the certificate of the realm's RADIUS server expires; null: no valid certificate. */
  serverCertificateEndsAt: Date | null;
  /** The addresses of RADIUS servers that asked about certificates, the latest first. */
  askers: readonly Asker[];
  /** Like `askers`, for addresses that the realm does not name as RADIUS servers. */
  otherAskers: readonly Asker[];
  /** Whether an administrator has an active profile, and when an administrator's profile was last checked. */
  ownDevice: { hasProfile: boolean; checkedAt: Date | null };
  /** Whether a user who is not an administrator has a profile. */
  peopleHaveProfiles: boolean;
}

export interface Asker {
  address: string;
  lastAt: Date;
}

export interface SetupAdministrator {
  /** Null: no local account. */
  username: string | null;
  /** Whether they can sign in with a password. */
  hasPassword: boolean;
  /** Whether they have signed in through the realm's identity provider. */
  isKnownToProvider: boolean;
  /**
   * Whether this person keeps the role only as the last administrator: the provider's claims decide who is an
   * administrator, and do not name this person.
   */
  isKept: boolean;
}

/** Returns the time since which an address must have asked to count as current. */
const askedSince = (at: Date): number => at.getTime() - 24 * 3_600_000;

/** Returns the addresses that asked within a day. */
export const currentAskers = (askers: readonly Asker[], at: Date): Asker[] =>
  askers.filter(({ lastAt }) => lastAt.getTime() > askedSince(at));

/** Returns the state of each step. */
export function stepStates(facts: SetupFacts, at: Date): Record<SetupStep, SetupState> {
  const ownDevice = facts.ownDevice.checkedAt !== null ? "done" : facts.ownDevice.hasProfile ? "set" : "todo";
  const hasOtherNetworks =
    facts.ssids.length !== defaultSsids.length || facts.ssids.some((ssid) => !defaultSsids.includes(ssid));
  return {
    domain: facts.domain.endsWith(".example") ? "todo" : "done",
    sign_in: signInState(facts),
    wifi: facts.areSsidsConfirmed || hasOtherNetworks || ownDevice === "done" ? "done" : "todo",
    radius_certificate: facts.serverCertificateEndsAt !== null || facts.hasRadiusCa ? "done" : "todo",
    radius_asks: facts.askers.length === 0 ? "todo" : currentAskers(facts.askers, at).length === 0 ? "warning" : "done",
    own_device: ownDevice,
    people: facts.peopleHaveProfiles ? "done" : "todo",
    second_administrator: secondAdministratorState(facts),
  };
}

/** Done once two administrators can sign in: an administrator who cannot sign in is no help while the other is away. */
function secondAdministratorState({ administrators }: SetupFacts): SetupState {
  if (administrators.length === 1) return administrators.some(({ isKept }) => isKept) ? "warning" : "todo";
  if (administrators.filter(canSignIn).length > 1) return "done";
  return administrators.length > 1 ? "set" : "todo";
}

const canSignIn = ({ hasPassword, isKnownToProvider }: SetupAdministrator): boolean => hasPassword || isKnownToProvider;

function signInState({ administrators: [only, ...others], provider }: SetupFacts): SetupState {
  // An administrator who can sign in only by a link is locked out after signing out.
  if (only !== undefined && others.length === 0 && !canSignIn(only)) return "warning";
  if (provider === null) return "todo";
  return provider.wasUsed ? "done" : "set";
}
