import { useQueryClient } from "@tanstack/react-query";
import { api, dataOf, idempotent, type Schemas } from "../../api/api-client.ts";

export type Reason = NonNullable<Schemas["Profile"]["revokeReason"]>;

/** The reasons that a user can choose (RFC 5280 section 5.3.1), the likeliest first. */
export const reasons = [0, 5, 4, 1, 9, 3] as const satisfies readonly Reason[];

/** If the user revokes more profiles than this, a bulk job does so and shows the profiles before it starts. */
export const revokedAtOnceMax = 10;

/** Permanently revokes all the profiles or none, in one request. */
export async function revokeProfiles(serials: readonly string[], reason: Reason, confirmTotal?: number): Promise<void> {
  const [serial, ...others] = serials;
  if (serial === undefined) return;
  const header = idempotent();
  const why = { reason, ...(confirmTotal !== undefined && { confirmTotal }) };
  await (others.length === 0
    ? dataOf(api.DELETE("/api/profiles/{serial}", { params: { path: { serial }, header }, body: why }))
    : dataOf(api.DELETE("/api/profiles/bulk", { params: { header }, body: { profiles: [...serials], ...why } })));
}

const changed = ["profiles", "profile", "user-profiles", "users", "user", "audit"];

/** Returns a function that invalidates the queries about profiles, users and the audit log. */
export function useProfilesChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  };
}
