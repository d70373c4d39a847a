import { expect, test } from "vitest";
import { Redis } from "ioredis";
import pg from "pg";
import { ConfigError, loadConfig, maskedConfig, type Env } from "../../../runtime/config/config.ts";
import { withoutCredentials } from "../../../runtime/log.ts";

const load = (env: Env) => loadConfig(["DATABASE_URL", "DATABASE_PASSWORD"], env);

/** Returns how the driver reads a URL. */
const driven = (url: string | undefined) => {
  const { user, password, host, port, database } = new pg.Client({ connectionString: url });
  return { user, password, host, port, database };
};

test.each([
  "postgres://ada@db.example:5433/wifi",
  "postgres://ada:other@db.example:5433/wifi",
  "postgresql://ada:an%40other@db.example:5433/wifi?connect_timeout=3",
])("DATABASE_PASSWORD is the password of %s, whatever characters it has", (url) => {
  for (const password of ["/@#%", "%41", "a:b?c=d&e", "ü 'quoted' \"[x]\"", "100%", "plain"]) {
    const { DATABASE_URL } = load({ DATABASE_URL: url, DATABASE_PASSWORD: password });
    expect(driven(DATABASE_URL)).toEqual({ user: "ada", password, host: "db.example", port: 5433, database: "wifi" });
  }
});

test("DATABASE_PASSWORD needs no user in the URL, and no host when the database has a socket", () => {
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
] as const)("a %s with several hosts is refused with what to name instead: %s", (name, url) => {
  expect(() => loadConfig([name], { [name]: url })).toThrow(
    new RegExp(`^The configuration cannot be used:\\n  - ${name}: must name one host: [^\\n]*virtual IP[^\\n]*$`),
  );
});

test("a comma elsewhere in a URL is no second host", () => {
  const url = "postgres://ada:a,b@db.example/wi,fi?application_name=x,y";
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
])("a URL whose password is not percent-encoded is refused without any of it: %s", (url) => {
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
  ["postgres://ada@db.example/wifi?password=b%40d&x=1", "", "postgres://ada@db.example/wifi?password=********&x=1"],
  ["postgres://ada@db.example/wifi", "", "postgres://ada@db.example/wifi"],
])("%s with the password %j is shown as %s", (url, password, shown) => {
  const masked = maskedConfig(load({ DATABASE_URL: url, DATABASE_PASSWORD: password }));
  expect(masked["DATABASE_URL"]).toBe(shown);
  expect(masked["DATABASE_PASSWORD"]).toBe(password === "" ? null : "********");
});

test.each(["pass", "pa/ss", "pa@ss", "pa#ss", "pa?s/s@"])(
  "a message loses the credentials in its URLs: %s",
  (password) => {
    expect(withoutCredentials(`cannot open postgres://ada:${password}@db.example/wifi now`)).toBe(
      "cannot open postgres://[redacted]@db.example/wifi now",
    );
  },
);

test("REDIS_PASSWORD and QUEUE_DATABASE_PASSWORD are those of their URLs, whatever characters they have", () => {
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

test("a REDIS_URL whose password is not percent-encoded is refused without any of it", () => {
  expect(() => loadConfig(["REDIS_URL"], { REDIS_URL: "redis://:pa/ss@queue.example" })).toThrow(
    /^The configuration cannot be used:\n {2}- REDIS_URL: must be a redis:\/\/ URL; give a password with special characters in REDIS_PASSWORD, or percent-encode it$/,
  );
});
