/** A client's preferences about waiting (RFC 7240 sections 4.1 and 4.3). */
export interface Prefer {
  respondAsync: boolean;
  waitSeconds: number | undefined;
}

const waitSecondsMax = 60;

/**
 * Parses `Prefer`. As the RFC requires, it ignores unknown and invalid preferences; of a repeated preference the first
 * counts.
 */
export function readPrefer(header: string | readonly string[] | undefined): Prefer {
  const text = Array.isArray(header) ? header.join(",") : ((header as string | undefined) ?? "");
  if (text === "") return nothingPreferred;
  const preferences = new Map<string, string>();
  for (const [, name = "", quoted, token] of text.matchAll(preference)) {
    const key = name.toLowerCase();
    if (!preferences.has(key)) preferences.set(key, quoted ?? token ?? "");
  }
  const wait = preferences.get("wait");
  const seconds = wait !== undefined && /^[0-9]{1,6}$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : 0;
  return { respondAsync: preferences.has("respond-async"), waitSeconds: seconds > 0 ? seconds : undefined };
}

const nothingPreferred: Prefer = { respondAsync: false, waitSeconds: undefined };

/** Matches one preference. Its parameters are skipped, since no known preference has any. */
const preference =
  /(?:^|,)\s*([!#$%&'*+.^`|~\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;"]*)))?(?:\s*;(?:"[^"]*"|[^,"])*)?(?=\s*(?:,|$))/g;

/** Returns how long to wait, and the `Preference-Applied` header. */
export function waitingTime(
  { respondAsync, waitSeconds }: Prefer,
  defaultSeconds: number,
): { seconds: number; headers: Record<string, string> } {
  if (waitSeconds !== undefined)
    return { seconds: waitSeconds, headers: { "Preference-Applied": `wait=${waitSeconds}` } };
  if (respondAsync) return { seconds: 0, headers: { "Preference-Applied": "respond-async" } };
  return { seconds: defaultSeconds, headers: {} };
}
