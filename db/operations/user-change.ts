import type { Actor } from "../../domain/audit/audit.ts";

/** A change of what a person holds, and who made it. */
export interface UserChange<Held, Source extends string> {
  realmId: string;
  userId: string;
  before: Held;
  after: Held;
  /** `console`: staff, there or through the API; `provider`: the identity provider, at a sign-in. */
  source: Source;
  actor: Actor;
  at: Date;
}
