/** The most clients that a downloaded configuration lists. */
const networksMax = 50;

const isOctets = (text: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split(".").every((octet) => Number(octet) <= 255);

/** Whether a text is an IP address, or a network in CIDR notation, as FreeRADIUS accepts it for a client. */
function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const isIpv6 = /^[0-9a-f:]+$/i.test(address) && URL.canParse(`http://[${address}]/`);
  if (more.length > 0 || (!isIpv6 && !isOctets(address))) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIpv6 ? 128 : 32));
}

/**
 * Reads addresses and networks separated by commas, semicolons or white space. Returns undefined for an empty text, for
 * too many entries, or if an entry is neither an address nor a network.
 */
export function readNetworks(text: string): string[] | undefined {
  const networks = text.split(/[\s,;]+/).filter((part) => part !== "");
  return networks.length > 0 && networks.length <= networksMax && networks.every(isNetwork) ? networks : undefined;
}

/**
 * Returns FreeRADIUS's `clients.conf`: this machine, for tests, and the access points, which share a secret. Both
 * secrets must consist of letters and digits.
 */
export const radiusClients = ({
  networks,
  secret,
  testSecret,
}: {
  networks: readonly string[];
  secret: string;
  testSecret: string;
}): string => `# Who may ask this RADIUS server. Every answer of an attacker in between is found out (CVE-2024-3596), because all
# that speak EAP send a Message-Authenticator.

client localhost {
	ipaddr = 127.0.0.1
	# For tests with eapol_test on this machine.
	secret = "${testSecret}"
	require_message_authenticator = yes
}
${networks.map((network, index) => client(`access-points-${index + 1}`, network, secret)).join("")}`;

const client = (name: string, network: string, secret: string): string => `
client ${name} {
	${network.includes(":") ? "ipv6addr" : "ipaddr"} = ${network}
	secret = "${secret}"
	require_message_authenticator = yes
}
`;
