import { isMachineScope, type Scope } from "../../domain/scopes.ts";

/**
 * The scopes that a request names (RFC 6749 section 3.3); all of `grantable` but those of machines when it names none. Undefined when one of
 * them is not to be had: nobody is ever granted less than they asked for.
 */
export function readScope(asked: string | undefined, grantable: readonly Scope[]): Scope[] | undefined {
  const names = [...new Set((asked ?? "").split(" ").filter((name) => name !== ""))];
  if (names.length === 0) return grantable.filter((scope) => !isMachineScope(scope));
  const found = names.map((name) => grantable.find((scope) => scope === name));
  return found.every((scope) => scope !== undefined) ? found : undefined;
}
