/** The parts of a server's URL around its password (RFC 3986 section 3.2.1). */
const credentials = /^([a-z]+:\/\/)(?:([^:@/?#]*)(:[^/?#]*)?@)?(.*)$/s;

/**
 * Whether a text is a database URL as its driver will read it. After an unencoded `/`, `?` or `#` in a password, the
 * driver would take the rest for a host, a port or the database's name, and error messages would show it.
 */
export const isDatabaseUrl = (text: string): boolean => isServerUrl(text, /^postgres(ql)?:/);

/** Whether a text is a Redis URL, by the same rules. */
export const isRedisUrl = (text: string): boolean => isServerUrl(text, /^rediss?:/);

function isServerUrl(text: string, protocol: RegExp): boolean {
  const [, scheme = "", user = "", password = "", rest = ""] = credentials.exec(text) ?? [];
  // The host is empty if the database is on a socket.
  const parsable = `${scheme}${rest.startsWith("/") ? "localhost" : ""}${rest}`;
  return protocol.test(scheme) && !rest.includes("@") && URL.canParse(parsable) && isEncoded(user + password);
}

/**
 * Whether a URL names several hosts, as libpq (PostgreSQL 18 section 32.1.1.3) and Redis Sentinel have them. The drivers
 * would take the list for one name, or the rest for a port.
 */
export function namesSeveralHosts(text: string): boolean {
  const [, , , , rest = ""] = credentials.exec(text) ?? [];
  if (rest.includes("@")) return false;
  const [, authority = "", query = ""] = /^([^/?#]*)[^?#]*\??([^#]*)/.exec(rest) ?? [];
  const hosts = new URLSearchParams(query).getAll("host").concat(new URLSearchParams(query).getAll("hostaddr"));
  return [authority, ...hosts].some((host) => host.includes(","));
}

const isEncoded = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text);

/** Returns the URL with its password replaced. */
export function withPassword(url: string, password: string): string {
  const [, scheme = "", user = "", , rest = ""] = credentials.exec(url) ?? [];
  return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`;
}

/** Returns the URL with another login, wherever it has one. */
export function withLogin(url: string, { name, password }: { name: string; password: string }): string {
  const [, scheme = "", , , rest = ""] = credentials.exec(url) ?? [];
  const others = rest.replace(/(?<=[?&])(?:user|password)=[^&#]*&?/g, "");
  return `${scheme}${encodeURIComponent(name)}:${encodeURIComponent(password)}@${others}`;
}

/** Returns the URL for display, with its password masked. */
export const withMaskedPassword = (url: string): string =>
  url.replace(/^([a-z]+:\/\/[^:@/?#]*):[^/?#]*@/, "$1:********@").replace(/([?&]password=)[^&#]*/g, "$1********");
