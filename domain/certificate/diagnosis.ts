import { isActive } from "./entitlement.ts";
import { errorCatalogue, isErrorCode } from "../errors.ts";
import { lastCheckOf } from "./last-check.ts";
import type { RevocationReason } from "./revocation.ts";

/** Why a device may not be on the network, as far as this service can know. */
export const diagnosisCodes = [
  "offboarded",
  "issuance_failed",
  "no_profile",
  "replaced",
  "revoked_tried",
  "revoked",
  "expired",
  "list_ended",
  "not_fetched",
  "nobody_asks",
  "never_asked",
  "silent",
  "good",
] as const;
export type DiagnosisCode = (typeof diagnosisCodes)[number];

/** The steps that a person can take to get a device on the network. */
export const nextSteps = [
  "reactivate",
  "unlock",
  "raise_limit",
  "set_up_anew",
  "open_successor",
  "call_operator",
  "download_again",
  "check_radius",
  "check_installed",
  "forget_network",
  "device_away",
  "give_identity",
] as const;
export type NextStep = (typeof nextSteps)[number];

/** Facts shown with the diagnosis; never its cause. */
export const personNotes = ["locked", "limit_reached", "in_grace"] as const;
export type PersonNote = (typeof personNotes)[number];

export const actedByKinds = ["owner", "person", "application", "operator", "service"] as const;

/** Who did something. `service`: the service itself, such as its upkeep. */
export interface ActedBy {
  kind: (typeof actedByKinds)[number];
  /** Null if unknown, or hidden from the reader. */
  name: string | null;
}

/** How a profile was revoked. */
export const revokedHow = ["single", "job", "offboarding", "renewal", "guest_end"] as const;
export type RevokedHow = (typeof revokedHow)[number];

export type Delivery = "fetched" | "not_fetched" | "unknown";

/** The facts about a person whose access has ended. */
export interface OffboardingFacts {
  at: Date;
  by: ActedBy | null;
  /**
   * When the profiles will be revoked. Until then they stay valid; null: they are revoked, about to be revoked, or
   * held.
   */
  revokeAt: Date | null;
  /** Profiles stay valid until a person confirms their revocation. */
  isHeld: boolean;
  /** The number of the person's active profiles. */
  activeCount: number;
}

/** The known facts about one profile. */
export interface ProfileFacts {
  serial: string;
  issuedAt: Date;
  notAfter: Date;
  revocation: { at: Date; reason: RevocationReason; by: ActedBy | null } | null;
  replacedBy: { serial: string; at: Date } | null;
  lastCheckAt: Date | null;
  delivery: Delivery;
  /** The last known check of any profile in this realm. */
  realmCheckedAt: Date | null;
  /** When the issuer's CRL expires. */
  listEndsAt: Date | null;
  /** Null without an owner, or if the owner is not offboarded. */
  offboarding: OffboardingFacts | null;
}

/** The facts that a diagnosis' sentence mentions. */
export interface DiagnosisDetail {
  at?: Date;
  by?: ActedBy;
  /** When the device tried to connect. */
  triedAt?: Date;
  reason?: RevocationReason;
  /** The serial number of another profile. */
  serial?: string;
  error?: string;
  /** The number of profiles that are still active. */
  activeCount?: number;
}

export interface Diagnosis {
  code: DiagnosisCode;
  /** The profile that the diagnosis is about; null: the person. */
  serial: string | null;
  /** Since when the diagnosis applies; null: unknown. */
  since: Date | null;
  detail: DiagnosisDetail;
  next: readonly NextStep[];
}

const hourMs = 3_600_000;

/** How long a check counts as recent. A realm without a recent check has no RADIUS server that asks. */
export const recentHours = 24;

const isRecent = (checkedAt: Date | null, at: Date): boolean =>
  checkedAt !== null && at.getTime() - checkedAt.getTime() <= recentHours * hourMs;

/** Returns why the device of a profile may not be on the network: the first reason that matches. */
export function diagnose(facts: ProfileFacts, at: Date): Diagnosis {
  const { serial, revocation, replacedBy, lastCheckAt, listEndsAt, realmCheckedAt, offboarding } = facts;
  const found = (
    code: DiagnosisCode,
    since: Date | null,
    detail: DiagnosisDetail,
    ...next: readonly NextStep[]
  ): Diagnosis => ({ code, serial, since, detail, next });

  if (offboarding !== null && !keepsDevices(offboarding)) return { ...offboarded(offboarding), serial };
  if (revocation !== null) {
    if (replacedBy !== null) {
      return found("replaced", replacedBy.at, { at: replacedBy.at, serial: replacedBy.serial }, "open_successor");
    }
    const detail = {
      at: revocation.at,
      reason: revocation.reason,
      ...(revocation.by !== null && { by: revocation.by }),
    };
    const check = lastCheckOf({ lastCheckAt, revokedAt: revocation.at });
    return check?.result === "revoked"
      ? found("revoked_tried", revocation.at, { ...detail, triedAt: check.at }, "set_up_anew")
      : found("revoked", revocation.at, detail, "set_up_anew");
  }
  if (!isActive({ revokedAt: null, notAfter: facts.notAfter }, at)) {
    return found("expired", facts.notAfter, { at: facts.notAfter }, "set_up_anew");
  }
  if (listEndsAt !== null && listEndsAt <= at) {
    return found("list_ended", listEndsAt, { at: listEndsAt }, "call_operator");
  }
  if (lastCheckAt !== null) {
    return isRecent(lastCheckAt, at)
      ? found("good", lastCheckAt, { at: lastCheckAt }, "give_identity")
      : found("silent", lastCheckAt, { at: lastCheckAt }, "device_away");
  }
  if (facts.delivery === "not_fetched") {
    return found("not_fetched", facts.issuedAt, { at: facts.issuedAt }, "download_again");
  }
  if (!isRecent(realmCheckedAt, at)) {
    return found("nobody_asks", realmCheckedAt, realmCheckedAt === null ? {} : { at: realmCheckedAt }, "check_radius");
  }
  return found("never_asked", facts.issuedAt, { at: facts.issuedAt }, "check_installed", "forget_network");
}

/** Whether an offboarded person's profiles stay valid intentionally. */
const keepsDevices = ({ revokeAt, isHeld }: OffboardingFacts): boolean => revokeAt !== null || isHeld;

const offboarded = ({ at, by, activeCount }: OffboardingFacts): Diagnosis => ({
  code: "offboarded",
  serial: null,
  since: at,
  detail: { at, activeCount, ...(by !== null && { by }) },
  next: ["reactivate", "set_up_anew"],
});

export interface PersonFacts {
  offboarding: OffboardingFacts | null;
  /** The latest issuance that failed. */
  failure: { at: Date; error: string } | null;
  /** The newest profile that is active or ended recently, with its diagnosis. */
  newest: { issuedAt: Date; diagnosis: Diagnosis } | null;
}

/** Returns why a person's device may not be on the network. */
export function diagnosePerson({ offboarding, failure, newest }: PersonFacts): Diagnosis {
  if (offboarding !== null && !keepsDevices(offboarding)) return offboarded(offboarding);
  if (failure !== null && (newest === null || failure.at > newest.issuedAt)) {
    const { at, error } = failure;
    return { code: "issuance_failed", serial: null, since: at, detail: { at, error }, next: [stepAfter(error)] };
  }
  return newest?.diagnosis ?? { code: "no_profile", serial: null, since: null, detail: {}, next: ["set_up_anew"] };
}

function stepAfter(error: string): NextStep {
  switch (error) {
    case "user_locked":
      return "unlock";
    case "profile_limit_reached":
      return "raise_limit";
    case "no_issuer":
    case "issuer_expiring":
      return "call_operator";
    default:
      return "set_up_anew";
  }
}

/**
 * Returns a diagnosis as a sentence. It never claims that a device did not try, or that it is online: the service
 * cannot know.
 */
export function diagnosisText({ code, detail }: Pick<Diagnosis, "code" | "detail">): string {
  const when = detail.at === undefined ? "" : moment(detail.at);
  const by = actorText(detail.by);
  switch (code) {
    case "offboarded":
      return `Access ended on ${when}${by}; ${restText(detail.activeCount ?? 0)}`;
    case "issuance_failed":
      return `The requested profile could not be created on ${when}: ${errorText(detail.error)}`;
    case "no_profile":
      return "No active profile.";
    case "replaced":
      return `This profile was renewed on ${when}; the new one is …${(detail.serial ?? "").slice(-4)}.`;
    case "revoked_tried":
      return `Revoked${by} on ${when}; the device tried on ${momentOr(detail.triedAt)} and was refused.`;
    case "revoked":
      return `Revoked${by} on ${when}, reason: ${reasonTexts[detail.reason ?? 0]}. No attempt seen since.`;
    case "expired":
      return `Valid until ${when}. Renewal works only before the end.`;
    case "list_ended":
      return `The revocation list ended on ${when}: RADIUS servers that use it refuse everybody.`;
    case "not_fetched":
      return `The file was created on ${when} and never downloaded.`;
    case "nobody_asks":
      return detail.at === undefined
        ? "No RADIUS server is known to have asked this service."
        : `No RADIUS server is known to have asked this service since ${when}.`;
    case "never_asked":
      return `No RADIUS server has asked about this profile since it was created on ${when}.`;
    case "silent":
      return `The last good check was on ${when}; none seen since.`;
    case "good":
      return `The certificate was good on ${when}.`;
  }
}

/** Returns a note shown with a diagnosis as a sentence. */
export function noteText(note: PersonNote, { until }: { until: Date | null }): string {
  switch (note) {
    case "locked":
      return "Locked: no new profiles. Existing profiles stay valid.";
    case "limit_reached":
      return "The limit is reached: another profile needs a free place first.";
    case "in_grace":
      return `Access has ended. Profiles stay valid until ${momentOr(until ?? undefined)}.`;
  }
}

function restText(activeCount: number): string {
  if (activeCount === 0) return "all profiles were revoked.";
  return activeCount === 1 ? "one profile is not revoked yet." : `${activeCount} profiles are not revoked yet.`;
}

function actorText(by: ActedBy | undefined): string {
  switch (by?.kind) {
    case undefined:
      return "";
    case "owner":
      return " by the owner";
    case "person":
      return ` by ${by.name ?? "another person"}`;
    case "application":
      return ` by ${by.name === null ? "an application" : `the application “${by.name}”`}`;
    case "operator":
      return " by the operator";
    case "service":
      return " by the service itself";
  }
}

const reasonTexts: Readonly<Record<RevocationReason, string>> = {
  0: "none given",
  1: "device or key in the wrong hands",
  3: "role has changed",
  4: "replaced by another profile",
  5: "no longer in use",
  9: "permission withdrawn",
};

const errorText = (error: string | undefined): string =>
  error !== undefined && isErrorCode(error) ? errorCatalogue[error].message : (error ?? "");

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `3 Nov 2026 at 08:14 UTC` */
function moment(at: Date): string {
  const time = at.toISOString().slice(11, 16);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()] ?? ""} ${at.getUTCFullYear()} at ${time} UTC`;
}

const momentOr = (at: Date | undefined): string => (at === undefined ? "an unknown time" : moment(at));
