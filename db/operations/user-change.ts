import type { Actor } from "../../domain/audit/audit.ts";

/** A change of a person's roles or VLANs, and who made it. */
export interface UserChange<Held, Source extends string> {
  realmId: string;
  userId: string;
  before: Held;
  after: Held;
  /**
   * `console`: staff, in the console or through the API; `provider`: the identity provider, at a sign-in; `operator`: a
   * command of the operator.
   */
  source: Source;
  actor: Actor;
  at: Date;
}
