/** The parts of a server's URL around its password (RFC 3986 section 3.2.1). */
const credentials = /^([a-z]+:\/\/)(?:([^:@/?#]*)(:[^/?#]*)?@)?(.*)$/s;

/**
 * Returns whether a text is a database URL as its driver will read it. After an unencoded `/`, `?` or `#` in a
 * password, the driver would take the rest for a host, a port or the database's name, and error messages would show it.
 */
export const isDatabaseUrl = (text: string): boolean => isServerUrl(text, /^postgres(ql)?:/);

/** Returns whether a text is a Redis URL, by the rules of {@link isDatabaseUrl}. */
export const isRedisUrl = (text: string): boolean => isServerUrl(text, /^rediss?:/);

function isServerUrl(text: string, protocol: RegExp): boolean {
  const [, scheme = "", user = "", password = "", rest = ""] = credentials.exec(text) ?? [];
  // The host is empty if the database is on a socket.
  const parsable = `${scheme}${rest.startsWith("/") ? "localhost" : ""}${rest}`;
  return protocol.test(scheme) && !rest.includes("@") && URL.canParse(parsable) && isEncoded(user + password);
}

/**
 * Returns whether a URL names several hosts, as libpq (PostgreSQL 18 section 32.1.1.3) and Redis Sentinel allow. The
 * drivers would take the list for one name, or the rest for a port.
 */
export function namesSeveralHosts(text: string): boolean {
  const { authority, parameters } = partsOf(text);
  const hosts = [...parameters.getAll("host"), ...parameters.getAll("hostaddr")];
  return [authority, ...hosts].some((host) => host.includes(","));
}

/** Returns the host with its port, and the parameters; both are empty for a text with an unencoded password. */
function partsOf(text: string): { authority: string; parameters: URLSearchParams } {
  const [, , , , rest = ""] = credentials.exec(text) ?? [];
  const [, authority = "", query = ""] = /^([^/?#]*)[^?#]*\??([^#]*)/.exec(rest.includes("@") ? "" : rest) ?? [];
  return { authority, parameters: new URLSearchParams(query) };
}

/** The parameters that a URL may have, each with its values. */
export type KnownParameters = Readonly<Record<string, RegExp>>;

const anything = /^/;

/**
 * The supported parameters of libpq (PostgreSQL 18 section 32.1.2), with their values. The driver would ignore all
 * other parameters, or let them replace the service's own: `options` sets the role, and the operator finds a process's
 * sessions by `application_name`.
 */
export const databaseParameters: KnownParameters = {
  host: anything,
  port: anything,
  user: anything,
  password: anything,
  connect_timeout: /^[1-9]\d?$/,
  ssl: /^(?:true|1|0|no-verify)$/,
  sslmode: /^(?:disable|prefer|require|verify-ca|verify-full|no-verify)$/,
  sslcert: anything,
  sslkey: anything,
  sslrootcert: anything,
  sslnegotiation: /^(?:postgres|direct)$/,
  uselibpqcompat: /^(?:true|false)$/,
  // The following parameters change nothing: the driver behaves this way without them.
  fallback_application_name: anything,
  keepalives: /^1$/,
  target_session_attrs: /^any$/,
  load_balance_hosts: /^disable$/,
  gssencmode: /^(?:disable|prefer)$/,
  channel_binding: /^(?:disable|prefer)$/,
};

/**
 * The parameters that a Redis URL may have. The driver would use other parameters as its options, with precedence over
 * the service's own.
 */
export const redisParameters: KnownParameters = {
  db: /^\d+$/,
  family: /^[046]$/,
  username: anything,
  password: anything,
  connectionName: anything,
};

/**
 * Returns for how many seconds the driver of a database URL waits for a connection; undefined if the URL has no
 * `connect_timeout`.
 */
export function connectSecondsOf(text: string): number | undefined {
  const seconds = partsOf(text).parameters.getAll("connect_timeout").at(-1);
  return seconds === undefined ? undefined : Number(seconds);
}

/**
 * Returns the parameters of a URL that are unknown or have an invalid value. If the URL has a password as a parameter,
 * leaves out the names, because a part of the password could look like a name.
 */
export function unknownParameters(text: string, known: KnownParameters): string[] {
  const { parameters } = partsOf(text);
  const unknown = [...parameters]
    .filter(([name, value]) => !Object.hasOwn(known, name) || known[name]?.test(value) === false)
    .map(([name]) => name);
  if (unknown.length > 0 && parameters.has("password")) return ["a parameter"];
  return [...new Set(unknown)];
}

const isEncoded = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text);

/** Returns the URL with this password before the host, in place of its own if it has one there. */
export function withPassword(url: string, password: string): string {
  const [, scheme = "", user = "", , rest = ""] = credentials.exec(url) ?? [];
  return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`;
}

/** Returns the URL with this login before the host, in place of any login there or in parameters. */
export function withLogin(url: string, { name, password }: { name: string; password: string }): string {
  const [, scheme = "", , , rest = ""] = credentials.exec(url) ?? [];
  const others = rest.replace(/(?<=[?&])(?:user|password)=[^&#]*&?/g, "");
  return `${scheme}${encodeURIComponent(name)}:${encodeURIComponent(password)}@${others}`;
}

/** Returns the URL for display, with its password masked. */
export const withMaskedPassword = (url: string): string =>
  url.replace(/^([a-z]+:\/\/[^:@/?#]*):[^/?#]*@/, "$1:********@").replace(/([?&]password=)[^&#]*/g, "$1********");
