import { describe, expect, test } from "vitest";
import { DnsName, InfrastructureProfileName } from "../../../domain/certificate/server-name.ts";
import { InfrastructureDomains, RadiusServerName, RealmDomain } from "../../../domain/realm.ts";

const faultOf = (schema: typeof DnsName, name: string): string | undefined =>
  schema
    .safeParse(name)
    .error?.issues.map(({ message }) => message)
    .join("; ");

const refused: [given: string, fault: string][] = [
  ["*.example.org", "must not contain *"],
  ["radius_1.example.org", "must not contain _"],
  ["rädius.example.org", "must be in ASCII, as xn--rdius-gra.example.org"],
  ["ra\u0308dius.example.org", "must be in ASCII, as xn--rdius-gra.example.org"],
  ["radius\u200b.example.org", "must be in ASCII, as radius.example.org"],
  ["-a.example.org", "must be a DNS name"],
  ["a..example.org", "must be a DNS name"],
];

describe("a name of a server or a domain", () => {
  test.each(refused)("%j is refused, and the reason names the fault", (name, fault) => {
    expect(faultOf(DnsName, name)).toContain(fault);
    expect(faultOf(InfrastructureProfileName, name)).toContain(fault);
    expect(faultOf(RadiusServerName, name)).toContain(fault);
    expect(faultOf(RealmDomain, name)).toContain(fault);
    expect(InfrastructureDomains.safeParse([name]).error?.issues[0]?.message).toContain(fault);
  });

  test("loses at most one final dot", () => {
    expect(InfrastructureProfileName.parse("radius.example.org.")).toBe("radius.example.org");
    expect(RadiusServerName.parse("radius.example.org.")).toBe("radius.example.org");
    expect(RealmDomain.parse("Example.ORG.")).toBe("example.org");
    expect(InfrastructureDomains.parse(["example.org."])).toEqual(["example.org"]);
    expect(InfrastructureDomains.safeParse(["example.org", "example.org."]).success).toBe(false);
    expect(faultOf(RadiusServerName, "radius.example.org..")).toContain("must be a DNS name");
  });

  test.each(["radius.example.org", "RADIUS.Example.org", "xn--rdius-gra.example.org"])("%s is unchanged", (name) => {
    expect(InfrastructureProfileName.parse(name)).toBe(name);
    expect(RadiusServerName.parse(name)).toBe(name);
  });
});

test.each([
  "switch 3",
  "Gebäude 3, AP 2.OG",
  "switch_3",
  "Gerät",
  "192.0.2.1",
  "2001:db8::1",
  "AP-3.1",
  "switch.",
  "nr. 5",
  "ap1@example",
])("%j is not a host name, and an infrastructure profile keeps it unchanged", (name) => {
  expect(InfrastructureProfileName.parse(name)).toBe(name);
});
