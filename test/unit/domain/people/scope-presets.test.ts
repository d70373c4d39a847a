import { expect, test } from "vitest";
import { scopePresets } from "../../../../domain/people/scope-presets.ts";
import { isMachineScope, type Scope } from "../../../../domain/people/scopes.ts";

const presets: [name: string, scopes: readonly Scope[]][] = Object.values(scopePresets).flatMap((each) =>
  Object.entries(each),
);

test.each(presets)(
  "the preset %s has scopes that can be combined and that do not grant further rights",
  (_, scopes) => {
    expect(scopes.length).toBeGreaterThan(0);
    if (scopes.some(isMachineScope)) expect(scopes).toHaveLength(1);
    const strong: readonly Scope[] = ["role.modify", "application.modify", "realm.modify"];
    expect(scopes.filter((scope) => strong.includes(scope))).toEqual([]);
  },
);
