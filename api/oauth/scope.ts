import { isMachineScope, type Scope } from "../../domain/people/scopes.ts";

/**
 * Returns the scopes that a request names (RFC 6749 section 3.3), if each is in `grantable` or `byName`. For a request
 * that names no scope, returns all of `grantable` except machine scopes. Returns undefined if a named scope cannot be
 * granted: a client never gets fewer scopes than it asked for.
 */
export function readScope(
  asked: string | undefined,
  grantable: readonly Scope[],
  byName: readonly Scope[] = [],
): Scope[] | undefined {
  const names = [...new Set((asked ?? "").split(" ").filter((name) => name !== ""))];
  if (names.length === 0) return grantable.filter((scope) => !isMachineScope(scope));
  const found = names.map((name) => [...grantable, ...byName].find((scope) => scope === name));
  return found.every((scope) => scope !== undefined) ? found : undefined;
}
