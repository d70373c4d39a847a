import { z } from "zod";
import { lines, text } from "./text.ts";

/** What an administrator calls a guest account. */
export const GuestAccountName = text(1, 200);

export const GuestAccountNote = lines(2_000);

/** How many active profiles a guest account may have; null: as many as it likes. */
export const ProfileLimit = z.int().min(0).max(100_000);

/** A revoked account has ended permanently; an expired one, until its end is moved. */
export const hasEnded = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date }, at: Date): boolean =>
  revokedAt !== null || expiresAt <= at;
