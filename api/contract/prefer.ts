/** What a client prefers about waiting (RFC 7240 sections 4.1 and 4.3). */
export interface Prefer {
  respondAsync: boolean;
  waitSeconds: number | undefined;
}

const waitSecondsMax = 60;

/** Reads `Prefer`. Preferences that are unknown or make no sense are ignored, as the RFC has it; of two alike the first holds. */
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

/** One preference; its parameters, of which none is known, are passed over. */
const preference =
  /(?:^|,)\s*([!#$%&'*+.^`|~\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;"]*)))?(?:\s*;(?:"[^"]*"|[^,"])*)?(?=\s*(?:,|$))/g;

/** How long to wait, and the `Preference-Applied` that says what held. */
export function waitingTime(
  { respondAsync, waitSeconds }: Prefer,
  defaultSeconds: number,
): { seconds: number; headers: Record<string, string> } {
  if (waitSeconds !== undefined)
    return { seconds: waitSeconds, headers: { "Preference-Applied": `wait=${waitSeconds}` } };
  if (respondAsync) return { seconds: 0, headers: { "Preference-Applied": "respond-async" } };
  return { seconds: defaultSeconds, headers: {} };
}
