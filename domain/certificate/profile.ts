import { z } from "zod";
import { checkVisibleButJoiners, withoutInvisibleEnds } from "../text.ts";
import type { Scope } from "../people/scopes.ts";

export const profileKinds = ["user", "guest", "infrastructure"] as const;
export type ProfileKind = (typeof profileKinds)[number];

export const profileNameLengthMax = 64;

/**
 * A name that the caller chooses: 1 to 64 characters, without control characters and without invisible characters other
 * than joiners. Names need not be unique.
 */
export const ProfileName = z
  .string()
  .overwrite(withoutInvisibleEnds)
  .refine(
    (value) => Array.from(value).length >= 1 && Array.from(value).length <= profileNameLengthMax,
    `must be 1 to ${profileNameLengthMax} characters`,
  )
  .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), "must not contain control characters")
  .superRefine(checkVisibleButJoiners)
  .meta({ minLength: 1, maxLength: profileNameLengthMax });

/** The audit event for a revoked profile of each kind. */
export const revocationEvent = {
  user: "profile_revoke",
  guest: "guest_profile_revoke",
  infrastructure: "infrastructure_profile_revoke",
} as const satisfies Record<ProfileKind, string>;

/** The scope for reading profiles of each kind. */
export const scopeToRead = {
  user: "profile.read",
  guest: "guest.view",
  infrastructure: "infrastructure.read",
} as const satisfies Record<ProfileKind, Scope>;
