import { ServiceError, type ServiceErrorOptions } from "../../domain/errors.ts";
import type { Scope } from "../../domain/scopes.ts";

/** No usable access token. `given` tells a missing one from a bad one, which RFC 6750 section 3.1 answers differently. */
export class Unauthenticated extends ServiceError {
  readonly given: boolean;
  constructor({ given }: { given: boolean }) {
    super("unauthenticated");
    this.given = given;
  }
}

/** A token without scopes that are needed, which the answer names (RFC 6750 section 3.1). */
export class InsufficientScope extends ServiceError {
  /** Separated by spaces. */
  readonly scope: string;
  constructor(scopes: readonly Scope[], options?: ServiceErrorOptions) {
    super("insufficient_scope", options);
    this.scope = scopes.join(" ");
  }
}
