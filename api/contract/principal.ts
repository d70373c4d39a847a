import type { Actor } from "../../domain/audit.ts";
import type { Role } from "../../domain/roles.ts";
import type { Scope } from "../../domain/scopes.ts";

interface Holder {
  realmId: string;
  /** What the token says and implies. */
  scopes: ReadonlySet<Scope>;
  /** When the access token ends. */
  expiresAt: Date;
}

/** A signed-in person, through an application. */
export interface UserPrincipal extends Holder {
  kind: "user";
  userId: string;
  clientId: string | null;
  /** At this moment, whatever they were when the token was issued; none with a token that a profile was shown for. */
  roles: readonly Role[];
  /** The session that the token belongs to. */
  sessionId: string | null;
  /** The profile that the token was got with over mutual TLS, and is bound to. */
  certificateId: string | null;
}

/** An application on its own. */
export interface ServicePrincipal extends Holder {
  kind: "service";
  clientId: string;
}

/** The holder of a guest account's token. */
export interface GuestPrincipal extends Holder {
  kind: "guest";
  guestAccountId: string;
}

/** Who is asking. */
export type Principal = UserPrincipal | ServicePrincipal | GuestPrincipal;

/** Which limit on requests holds for a token of theirs. */
export const rateLimitOf = ({ kind }: Principal): "service" | "user" => (kind === "service" ? "service" : "user");

/** May do something with what is not their own, as far as scopes go: a service, and a person with a role. */
export const isStaff = (principal: Principal): principal is UserPrincipal | ServicePrincipal =>
  principal.kind === "service" || (principal.kind === "user" && principal.roles.length > 0);

/** Who did it, for the audit log and for whose an issuance is. */
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

/** Whether the caller made something: the same user through the same client, or the same client on its own. */
export const hasMade = (
  principal: UserPrincipal | ServicePrincipal,
  made: { createdByUserId: string | null; createdByClientId: string | null },
): boolean => {
  const { userId, clientId } = actorOf(principal);
  return made.createdByUserId === userId && made.createdByClientId === clientId;
};

/** Whose idempotency keys these are: two clients may use the same one. */
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
