import { ServiceError, type ServiceErrorOptions } from "../../domain/errors.ts";
import type { Scope } from "../../domain/people/scopes.ts";

/**
 * Thrown for a request without a usable access token. `given` distinguishes a bad token from a missing one: RFC 6750
 * section 3.1 requires different responses.
 */
export class Unauthenticated extends ServiceError {
  readonly given: boolean;
  constructor({ given }: { given: boolean }) {
    super("unauthenticated");
    this.given = given;
  }
}

/** Thrown for a token without a required scope; the response lists the scopes (RFC 6750 section 3.1). */
export class InsufficientScope extends ServiceError {
  /** Separated by spaces. */
  readonly scope: string;
  constructor(scopes: readonly Scope[], options?: ServiceErrorOptions) {
    super("insufficient_scope", options);
    this.scope = scopes.join(" ");
  }
}
