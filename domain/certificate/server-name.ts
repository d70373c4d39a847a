import { z } from "zod";
import { isDnsName } from "./certificate-profile.ts";
import { ProfileName } from "./profile.ts";

/** Removes the final dot of an absolute domain name (RFC 1034 section 3.1), which certificates leave out. */
const withoutFinalDot = (name: string): string => (isDnsName(name.slice(0, -1)) ? name.replace(/\.$/, "") : name);

/** Returns why a certificate cannot contain a text as a DNS name, as the rest of a sentence; undefined if it can. */
function dnsNameFault(text: string): string | undefined {
  if (isDnsName(text)) return undefined;
  if (text.includes("*")) return "must not contain *: certificates of a realm name one server each";
  if (text.includes("_")) return "must not contain _: a host name has letters, digits and hyphens";
  // eslint-disable-next-line no-control-regex -- every character beyond ASCII
  if (/[^\x00-\x7f]/.test(text)) {
    const ascii = asciiForm(text);
    return `must be in ASCII${ascii === undefined ? "" : `, as ${ascii}`}`;
  }
  return "must be a DNS name, such as radius.example.org";
}

/** Returns the A-labels of a host name (RFC 5890 section 2.3.2.1); undefined for a name without A-labels. */
function asciiForm(name: string): string | undefined {
  const address = `http://${name}/`;
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return isDnsName(host) ? host : undefined;
}

const checked = (name: string, context: z.RefinementCtx<string>): void => {
  const fault = dnsNameFault(name);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
};

/** Reads a DNS name and removes its final dot. */
export const DnsName = z.string().overwrite(withoutFinalDot).superRefine(checked);

/**
 * Whether a text looks like a host name: several parts between dots, of characters that people write in host names. An
 * IP address does not count: the last part must have a character other than a digit.
 */
function isLikeHostName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  const last = labels.at(-1) ?? "";
  return labels.length > 1 && last !== "" && /\D/.test(last) && labels.every((label) => hostCharacters.test(label));
}
const hostCharacters = /^[\p{L}\p{M}\p{N}\p{Cf}*_-]*$/u;

/**
 * The name of an infrastructure profile. A DNS name loses its final dot. A text that looks like a DNS name but is not
 * valid is refused, because its certificate would lack the name. Any other text, such as "switch 3", is a label for
 * people.
 */
export const InfrastructureProfileName = ProfileName.overwrite(withoutFinalDot).superRefine((name, context) => {
  if (isLikeHostName(name)) checked(name, context);
});
