import type { components } from "../../contract-types/api-types.ts";
import { time } from "./texts.ts";

export type ProfileActivity = components["schemas"]["OwnedProfileActivity"];
export type UserActivity = components["schemas"]["UserActivity"];

type AnyProfile = components["schemas"]["ProfileActivity"];

/**
 * Returns a text with the reason why a profile's device may not be on the network, then the facts about the profile,
 * one per line.
 */
export function profileActivityText(profile: ProfileActivity): string {
  const { diagnosis, owner, guestAccount, app, replaces, replacedBy } = profile;
  const facts: [name: string, value: string | null][] = [
    ["Profile", `${profile.name} (${profile.serial}), ${profile.state}`],
    ["Owner", owner === null ? (guestAccount?.name ?? null) : (owner.pairwiseID ?? owner.userID)],
    ["Identity", profile.identity],
    ["Valid", `${time(profile.issuedAt)} to ${time(profile.expiresAt)}`],
    ["Last check", checkText(profile)],
    ["Somebody asked", profile.otherCheckAt === null ? null : time(profile.otherCheckAt)],
    [
      "File",
      profile.deliveredAt === null ? profile.delivery.replace("_", " ") : `fetched ${time(profile.deliveredAt)}`,
    ],
    ["App", app === null ? null : app.name],
    ["Took the place of", replaces],
    ["Replaced by", replacedBy],
  ];
  return [diagnosis.text, ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))].join(
    "\n",
  );
}

/**
 * Returns a text with the reason why a person's devices may not be on the network, then the notes and each of the
 * person's profiles, one per line.
 */
export function userActivityText({ person, diagnosis, notes, profiles }: UserActivity): string {
  const about = profiles.find(({ serial }) => serial === diagnosis.serial);
  return [
    `${person.pairwiseID ?? person.userID}${about === undefined ? "" : `, ${about.name}`}: ${diagnosis.text}`,
    ...notes.map(({ text }) => text),
    ...profiles.map((profile) => `${profile.serial}\t${profile.name}\t${profile.state}\t${checkText(profile)}`),
  ].join("\n");
}

const checkText = ({ lastCheck }: Pick<AnyProfile, "lastCheck">): string =>
  lastCheck === null ? "never seen" : `${time(lastCheck.at)}, ${lastCheck.result}`;
