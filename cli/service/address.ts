import { usageError } from "../../terminal/failure.ts";
import { isLoopbackHost } from "../../domain/uris.ts";

/**
 * Returns the service's address without a trailing slash. Throws if it is not an http or https URL, or contains a user
 * name, a password, a query or a fragment. Throws for plain http to another machine unless the user allows it: others
 * on the network could read the client secret.
 */
export function serviceAddress(text: string, { insecureHttp }: { insecureHttp: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw usageError("The service's address has to be a URL that begins with https://.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw usageError("The service's address must not contain a name, a password or anything after ? or #.");
  }
  if (url.protocol === "http:" && !insecureHttp && !isLoopbackHost(url.hostname)) {
    throw usageError(
      `${url.origin} is not encrypted: the client secret could be read on its way. Use https, or --insecure-http if you must.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}
