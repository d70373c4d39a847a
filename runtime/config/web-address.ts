import { z } from "zod";

const host = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/**
 * Reads an address of this service in the form that certificates, tokens and links contain: scheme and host in lower
 * case, the host in A-labels (RFC 5890) without a final dot, no default port, no slash at the end. Rejects a user name,
 * a password, a query, a fragment, and any scheme that is not in `schemes`.
 */
export const webAddress = (schemes: readonly string[], message: string) =>
  z.string().transform((text, context) => {
    const refuse = (fault: string): never => {
      context.addIssue({ code: "custom", message: fault });
      return z.NEVER;
    };
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !schemes.includes(url.protocol) || !/^[a-z]+:\/\//i.test(text)) return refuse(message);
    if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
      return refuse("must not contain a user name, a password, ? or #");
    }
    url.hostname = url.hostname.replace(/\.$/, "");
    if (!host.test(url.hostname)) return refuse("must have a host name or an IP address");
    return url.href.replace(/\/+$/, "");
  });
