import { z } from "zod";
import type { Role } from "./roles.ts";
import { lines, recognisableName } from "../text.ts";

/** The name that an administrator or a guest manager gives a guest account. */
export const GuestAccountName = recognisableName(1, 200);

export const GuestAccountNote = lines(2_000);

/** How many active profiles a guest account may have. An account without a limit has null instead. */
export const ProfileLimit = z.int().min(0).max(100_000);

/** Whether the realm's bounds for guest managers apply to a person with these roles. */
export const isBoundAsGuestManager = (roles: readonly Role[]): boolean => !roles.includes("administrator");

/** Whether an account has ended: a revoked account permanently, an expired account until its end is moved. */
export const hasEnded = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date }, at: Date): boolean =>
  revokedAt !== null || expiresAt <= at;
