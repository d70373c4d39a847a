import { describe, expect, test } from "vitest";
import { publicationUrl } from "../../../runtime/config/addresses.ts";
import { loadConfig } from "../../../runtime/config/config.ts";

const names = ["REALMPASS_BASE_URL", "REALMPASS_AUTH_URL", "REALMPASS_PUBLICATION_URL", "REALMPASS_TLS_URL"] as const;
const schemeOf = (name: (typeof names)[number]): string => (name === "REALMPASS_PUBLICATION_URL" ? "http" : "https");
const read = (name: (typeof names)[number], rest: string): unknown =>
  loadConfig([name], { [name]: `${schemeOf(name)}${rest}` })[name];

describe.each(names)("%s", (name) => {
  test.each([
    ["://wifi.example.org", "://wifi.example.org"],
    ["://wifi.example.org:8080/base", "://wifi.example.org:8080/base"],
    ["://wifi.example.org/", "://wifi.example.org"],
    ["://Wifi.Example.ORG/Base//", "://wifi.example.org/Base"],
    ["://bücher.example", "://xn--bcher-kva.example"],
    ["://bu\u0308cher.example/ä", "://xn--bcher-kva.example/%C3%A4"],
    ["://wifi.example.org./base", "://wifi.example.org/base"],
    ["://192.0.2.1:3000", "://192.0.2.1:3000"],
    ["://[2001:DB8::1]:3000", "://[2001:db8::1]:3000"],
    ["://realm_pass:3000", "://realm_pass:3000"],
  ])("%s is used as %s", (given, used) => {
    expect(read(name, given)).toBe(schemeOf(name) + used);
  });

  test.each([
    ["://wifi.example.org/?a=b", "? or #"],
    ["://wifi.example.org/?", "? or #"],
    ["://wifi.example.org/#top", "? or #"],
    ["://admin@wifi.example.org", "user name"],
    ["://admin:secret@wifi.example.org", "user name"],
    ["://*.example.org", "host name"],
    ["://wifi..example.org", "host name"],
    [":wifi.example.org", "must be a"],
    ["://", "must be a"],
    ["://wifi example.org", "must be a"],
  ])("%s is refused at the start with the reason", (given, reason) => {
    expect(() => read(name, given)).toThrow(new RegExp(`${name}: .*${reason.replace("?", "\\?")}`));
  });
});

test("certificates contain the normalized base URL, with http", () => {
  const config = loadConfig(["REALMPASS_BASE_URL", "REALMPASS_PUBLICATION_URL"], {
    REALMPASS_BASE_URL: "https://Bücher.Example/",
  });
  expect(publicationUrl(config)).toBe("http://xn--bcher-kva.example");
});

test("a publication address with https is refused: checking its certificate would depend on itself", () => {
  const config = () => loadConfig(["REALMPASS_PUBLICATION_URL"], { REALMPASS_PUBLICATION_URL: "HTTPS://a.example" });
  expect(config).toThrow("plain http://");
});
