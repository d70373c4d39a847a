import { describe, expect, test } from "vitest";
import { Redis } from "ioredis";
import pg from "pg";
import { ConfigError, loadConfig, maskedConfig, type Env } from "../../../runtime/config/config.ts";
import { withoutCredentials } from "../../../runtime/log.ts";

const load = (env: Env) => loadConfig(["DATABASE_URL", "DATABASE_PASSWORD"], env);

/** Returns the parts of a URL as the driver reads them. */
const driven = (url: string | undefined) => {
  const { user, password, host, port, database } = new pg.Client({ connectionString: url });
  return { user, password, host, port, database };
};

test.each([
  "postgres://ada@db.example:5433/wifi",
  "postgres://ada:other@db.example:5433/wifi",
  "postgresql://ada:an%40other@db.example:5433/wifi?connect_timeout=3",
])("DATABASE_PASSWORD is the password of %s, whatever characters it contains", (url) => {
  for (const password of ["/@#%", "%41", "a:b?c=d&e", "ü 'quoted' \"[x]\"", "100%", "plain"]) {
    const { DATABASE_URL } = load({ DATABASE_URL: url, DATABASE_PASSWORD: password });
    expect(driven(DATABASE_URL)).toEqual({ user: "ada", password, host: "db.example", port: 5433, database: "wifi" });
  }
});

test("DATABASE_PASSWORD needs no user in the URL, and no host if the database has a socket", () => {
  const { DATABASE_URL } = load({ DATABASE_URL: "postgres://db.example/wifi", DATABASE_PASSWORD: "a/b" });
  expect(driven(DATABASE_URL)).toMatchObject({ password: "a/b", host: "db.example", database: "wifi" });
  const socket = load({ DATABASE_URL: "postgres://ada@/wifi?host=/run/postgresql", DATABASE_PASSWORD: "a/b" });
  expect(driven(socket.DATABASE_URL)).toMatchObject({ user: "ada", password: "a/b", host: "/run/postgresql" });
});

test.each([
  ["DATABASE_URL", "postgres://ada:p@db1.example,db2.example/wifi"],
  ["DATABASE_URL", "postgres://ada:p@db1.example:5432,db2.example:5433/wifi?target_session_attrs=read-write"],
  ["DATABASE_URL", "postgres://ada:p@[2001:db8::1],[2001:db8::2]/wifi"],
  ["DATABASE_URL", "postgres://ada:p@/wifi?host=db1.example,db2.example"],
  ["DATABASE_URL", "postgres://ada:p@/wifi?application_name=x&host=db1.example%2Cdb2.example"],
  ["REDIS_URL", "redis://ada:p@redis1.example:6379,redis2.example:6379"],
] as const)("a %s with several hosts is refused, and the error suggests what to name instead: %s", (name, url) => {
  expect(() => loadConfig([name], { [name]: url })).toThrow(
    new RegExp(`^The configuration cannot be used:\\n  - ${name}: must name one host: [^\\n]*virtual IP[^\\n]*$`),
  );
});

const refusalOf = (env: Env): string | undefined => {
  try {
    loadConfig(["DATABASE_URL", "QUEUE_DATABASE_URL", "REDIS_URL"], env);
    return undefined;
  } catch (error) {
    return (error as ConfigError).faults.join("\n");
  }
};

describe("a parameter that the driver would ignore, or use instead of the service's own, is refused by name", () => {
  test.each([
    "options=-c%20search_path=other",
    "application_name=wifi",
    "statement_timeout=1",
    "query_timeout=1",
    "client_encoding=LATIN1",
    "replication=database",
    "max=1",
    "dbname=other",
    "hostaddr=192.0.2.1",
    "service=wifi",
    "passfile=/etc/pgpass",
    "sslMode=verify-full",
    "ssl_mode=verify-full",
    "sslmode=",
    "sslmode=verify_full",
    "sslcrl=/etc/crl.pem",
    "ssl_min_protocol_version=TLSv1.3",
    "channel_binding=require",
    "gssencmode=require",
    "require_auth=scram-sha-256",
    "toString=1",
    "connect_timeout=0",
    "connect_timeout=x",
    "keepalives=0",
    "keepalives_idle=9",
    "tcp_user_timeout=9",
    "ssl=false",
    "sslmode=allow",
    "load_balance_hosts=random",
  ])("DATABASE_URL with %s", (parameter) => {
    const url = `postgres://ada@db.example/wifi?sslmode=require&${parameter}`;
    const name = parameter.slice(0, parameter.indexOf("="));
    for (const variable of ["DATABASE_URL", "QUEUE_DATABASE_URL"]) {
      expect(refusalOf({ [variable]: url })).toMatch(
        new RegExp(`^${variable}: must not have ${name}(?:,| with) [^\n]*sslmode`),
      );
    }
  });

  test.each([
    "maxRetriesPerRequest=9",
    "connectTimeout=1",
    "timeout=3",
    "enableOfflineQueue=true",
    "tls=true",
    "db=one",
  ])("REDIS_URL with %s", (parameter) => {
    const name = parameter.slice(0, parameter.indexOf("="));
    expect(refusalOf({ REDIS_URL: `redis://queue.example?${parameter}` })).toMatch(
      new RegExp(`^REDIS_URL: must not have ${name}(?:,| with) [^\n]*db, family`),
    );
  });

  test("target_session_attrs of a single host, and the error suggests what to name instead", () => {
    const url = "postgres://ada@db.example/wifi?target_session_attrs=";
    expect(refusalOf({ DATABASE_URL: `${url}read-write` })).toMatch(
      /must not have target_session_attrs with this value, .*virtual IP/,
    );
    expect(refusalOf({ DATABASE_URL: `${url}any` })).toBeUndefined();
  });

  test("a part of a password that looks like a parameter is not shown in the error", () => {
    const url = "postgres://ada@db.example/wifi?password=pa&ss=word";
    expect(refusalOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL: must not have a parameter/);
    expect(refusalOf({ DATABASE_URL: url })).not.toMatch(/\b(?:pa|ss|word)\b/);
  });

  test.each([
    ["DATABASE_URL", "postgres://ada@/wifi?host=/run/postgresql&port=5433"],
    ["DATABASE_URL", "postgres://db.example/wifi?user=ada&password=x&connect_timeout=3&keepalives=1"],
    [
      "DATABASE_URL",
      "postgres://ada@db.example/wifi?target_session_attrs=any&sslmode=no-verify&channel_binding=prefer&sslnegotiation=direct",
    ],
    ["DATABASE_URL", "postgres://db.example/wifi?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=/c&sslkey=/k"],
    ["REDIS_URL", "rediss://queue.example/2?family=6"],
    ["REDIS_URL", "redis://queue.example?db=2&username=ada&password=x&connectionName=wifi"],
  ])("control: other parameters are accepted: %s=%s", (name, url) => {
    expect(refusalOf({ [name]: url })).toBeUndefined();
  });
});

test("a comma elsewhere in a URL does not make a second host", () => {
  const url = "postgres://ada:a,b@db.example/wi,fi?fallback_application_name=x,y";
  expect(load({ DATABASE_URL: url })).toMatchObject({ DATABASE_URL: url });
});

test.each([
  "postgres://ada:pa/ss@db.example/wifi",
  "postgres://ada:12/ss@db.example/wifi",
  "postgres://ada:pa#ss@db.example/wifi",
  "postgres://ada:pa@pa#ss@db.example/wifi",
  "postgres://ada:12?ss@db.example/wifi",
  "postgres://ada:pa%ss@db.example/wifi",
  "postgres://ada:pass@db.example:port/wifi",
])("a URL whose password is not percent-encoded is refused without showing any of it: %s", (url) => {
  const refusal = (() => {
    try {
      load({ DATABASE_URL: url });
    } catch (error) {
      return error as ConfigError;
    }
    return undefined;
  })();
  expect(refusal).toBeInstanceOf(ConfigError);
  expect(refusal?.message).toContain("DATABASE_PASSWORD");
  expect(refusal?.message).not.toMatch(/ada|pa[/#@%]|12|ss@|db\.example/);
});

test.each([
  ["postgres://ada@db.example/wifi", "/@#%", "postgres://ada:********@db.example/wifi"],
  ["postgres://ada@/wifi?host=/run/postgresql", "/@#%", "postgres://ada:********@/wifi?host=/run/postgresql"],
  [
    "postgres://ada@db.example/wifi?password=b%40d&sslmode=require",
    "",
    "postgres://ada@db.example/wifi?password=********&sslmode=require",
  ],
  ["postgres://ada@db.example/wifi", "", "postgres://ada@db.example/wifi"],
])("%s with the password %j is shown as %s", (url, password, shown) => {
  const masked = maskedConfig(load({ DATABASE_URL: url, DATABASE_PASSWORD: password }));
  expect(masked["DATABASE_URL"]).toBe(shown);
  expect(masked["DATABASE_PASSWORD"]).toBe(password === "" ? null : "********");
});

test.each(["pass", "pa/ss", "pa@ss", "pa#ss", "pa?s/s@"])(
  "credentials are removed from the URLs in a message: %s",
  (password) => {
    expect(withoutCredentials(`cannot open postgres://ada:${password}@db.example/wifi now`)).toBe(
      "cannot open postgres://[redacted]@db.example/wifi now",
    );
  },
);

test("REDIS_PASSWORD and QUEUE_DATABASE_PASSWORD are the passwords of their URLs, whatever characters they contain", () => {
  const config = loadConfig(["REDIS_URL", "REDIS_PASSWORD", "QUEUE_DATABASE_URL", "QUEUE_DATABASE_PASSWORD"], {
    REDIS_URL: "redis://queue.example:6380/2",
    REDIS_PASSWORD: "/@#%",
    QUEUE_DATABASE_URL: "postgres://queue@db.example/wifi",
    QUEUE_DATABASE_PASSWORD: "a:b?c=d",
  });
  const { password, host, port, db } = new Redis(config.REDIS_URL ?? "", { lazyConnect: true }).options;
  expect({ password, host, port, db }).toEqual({ password: "/@#%", host: "queue.example", port: 6380, db: 2 });
  expect(driven(config.QUEUE_DATABASE_URL)).toMatchObject({ user: "queue", password: "a:b?c=d", host: "db.example" });
  const masked = maskedConfig(config);
  expect(masked["REDIS_URL"]).toBe("redis://:********@queue.example:6380/2");
  expect(masked["REDIS_PASSWORD"]).toBe("********");
  expect(masked["QUEUE_DATABASE_PASSWORD"]).toBe("********");
});

test("a REDIS_URL whose password is not percent-encoded is refused without showing any of it", () => {
  expect(() => loadConfig(["REDIS_URL"], { REDIS_URL: "redis://:pa/ss@queue.example" })).toThrow(
    /^The configuration cannot be used:\n {2}- REDIS_URL: must be a redis:\/\/ URL; give a password with special characters in REDIS_PASSWORD, or percent-encode it$/,
  );
});
