/** Texts that are DNS names of hosts, as defined in `domain/certificate/certificate-profile.ts`. */
export const dnsNames = [
  "radius.example.org",
  "a.b",
  "x1-2.example.co",
  "192.0.2.x1",
  `${"a".repeat(63)}.org`,
  `${"a.".repeat(125)}org`,
  "RADIUS.Example.ORG",
  "xn--bcher-kva.example",
] as const;

/** Texts that are not DNS names of hosts. */
export const notDnsNames = [
  "",
  "radius",
  "*.example.org",
  "example.org.",
  ".example.org",
  "-a.example.org",
  "a-.example.org",
  "example.-a",
  "a..org",
  "192.0.2.1",
  "a.1",
  "bücher.example",
  "\u212aim.example",
  "\u017fo.example",
  "a b.example",
  "a_b.example",
  "example.org\n",
  "\nexample.org",
  `${"a".repeat(64)}.org`,
  `example.${"a".repeat(64)}`,
  `${"a.".repeat(126)}or`,
  `${"a.".repeat(130)}org`,
] as const;
