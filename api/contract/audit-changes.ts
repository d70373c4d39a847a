type Settings = Readonly<Record<string, unknown>>;

/** Returns the changed settings, before and after, for an audit entry; undefined if no setting changed. */
export function differences(was: Settings, is: Settings): { before: Settings; after: Settings } | undefined {
  const changed = Object.keys(is).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  if (changed.length === 0) return undefined;
  const only = (settings: Settings): Settings => Object.fromEntries(changed.map((name) => [name, settings[name]]));
  return { before: only(was), after: only(is) };
}
