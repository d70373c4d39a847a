import { expect, test } from "vitest";
import { csvLine } from "../../../cli/output/csv.ts";
import { scopesOf } from "../../../cli/service/access-token.ts";
import { serviceAddress } from "../../../cli/service/address.ts";
import { storedLoginPath } from "../../../cli/service/stored-login.ts";

test.each([
  [["a", 1, true, null], "a,1,true,\r\n"],
  [['say "hi"', "x,y", "two\nlines"], '"say ""hi""","x,y","two\nlines"\r\n'],
  [["=1+1", "+1", "-1", "@x"], "'=1+1,'+1,'-1,'@x\r\n"],
  [["'=1", "a;=1", { name: "a;=1" }], `''=1,a;'=1,"{""name"":""a;'=1""}"\r\n`],
  [[-1], "-1\r\n"],
])("a line of CSV: %j", (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

test.each([
  ["https://service.example", "https://service.example"],
  ["https://service.example/", "https://service.example"],
  ["https://service.example/wifi/", "https://service.example/wifi"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://127.0.0.2:3000/", "http://127.0.0.2:3000"],
  ["http://[::1]:3000", "http://[::1]:3000"],
])("the address %s is read", (given, address) => {
  expect(serviceAddress(given, { insecureHttp: false })).toBe(address);
});

test.each(["http://service.example", "http://localhost.example", "http://127.0.0.1.example", "http://10.0.0.1"])(
  "%s is plain http to another machine, and is refused without --insecure-http",
  (address) => {
    expect(() => serviceAddress(address, { insecureHttp: false })).toThrow("--insecure-http");
    expect(serviceAddress(address, { insecureHttp: true })).toBe(address);
  },
);

test("a relative XDG_CONFIG_HOME is ignored", () => {
  expect(storedLoginPath({ HOME: "/home/ada", XDG_CONFIG_HOME: "config" })).toBe(
    "/home/ada/.config/realmpass/login.json",
  );
  expect(storedLoginPath({ HOME: "/home/ada", XDG_CONFIG_HOME: "/etc/x" })).toBe("/etc/x/realmpass/login.json");
});

test("the scopes of a token that cannot be decoded are unknown", () => {
  const token = `h.${Buffer.from('{"scope":"user.read job.read"}').toString("base64url")}.s`;
  expect(scopesOf(token)).toEqual(["user.read", "job.read"]);
  for (const odd of ["", "x", "a.b.c", "a.e30.c"]) expect(scopesOf(odd)).toBeUndefined();
});
