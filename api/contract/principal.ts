import type { Actor } from "../../domain/audit/audit.ts";
import type { Role } from "../../domain/people/roles.ts";
import type { Scope } from "../../domain/people/scopes.ts";

interface Holder {
  realmId: string;
  /** The token's scopes, implied ones included. */
  scopes: ReadonlySet<Scope>;
  /** When the token expires; null: a static token without an expiry. */
  expiresAt: Date | null;
}

/** A user, with an application's token or, if `clientId` is null, signed in to self-service. */
export interface UserPrincipal extends Holder {
  kind: "user";
  userId: string;
  clientId: string | null;
  /** The user's roles now, not when the token was issued; empty for a token bound to a profile. */
  roles: readonly Role[];
  /** The session that the token belongs to; null: none. */
  sessionId: string | null;
  /** The profile that the token was issued for over mutual TLS and is bound to; null: none. */
  certificateId: string | null;
}

/** An application acting for itself. */
export interface ServicePrincipal extends Holder {
  kind: "service";
  clientId: string;
}

/** The holder of a guest account's token. */
export interface GuestPrincipal extends Holder {
  kind: "guest";
  guestAccountId: string;
}

/** The authenticated caller. */
export type Principal = UserPrincipal | ServicePrincipal | GuestPrincipal;

/** Returns which rate limit applies to the principal's token. */
export const rateLimitOf = ({ kind }: Principal): "service" | "user" => (kind === "service" ? "service" : "user");

/** Returns whether the principal may act on other people's resources, scopes aside: a service, or a user with a role. */
export const isStaff = (principal: Principal): principal is UserPrincipal | ServicePrincipal =>
  principal.kind === "service" || (principal.kind === "user" && principal.roles.length > 0);

/** Returns the actor for the audit log and for an issuance's creator. */
export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case "user":
      return { userId: principal.userId, clientId: principal.clientId };
    case "service":
      return { userId: null, clientId: principal.clientId };
    case "guest":
      return { userId: null, clientId: null };
  }
}

/**
 * Returns whether the caller created something: the same user through the same client, or the same client acting for
 * itself.
 */
export const hasMade = (
  principal: UserPrincipal | ServicePrincipal,
  made: { createdByUserId: string | null; createdByClientId: string | null },
): boolean => {
  const { userId, clientId } = actorOf(principal);
  return made.createdByUserId === userId && made.createdByClientId === clientId;
};

/** Returns the owner of the principal's idempotency keys: two clients may use the same key. */
export function idempotencyScopeOf(principal: Principal): string {
  switch (principal.kind) {
    case "user":
      return `user:${principal.userId}:${principal.clientId ?? ""}`;
    case "service":
      return `client:${principal.clientId}`;
    case "guest":
      return `guest:${principal.guestAccountId}`;
  }
}
