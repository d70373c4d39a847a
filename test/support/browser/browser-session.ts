import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";

/** A response as a browser sees it. */
export interface Visit {
  status: number;
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A form on a page: where it posts to, and its fields as they are filled in. */
export interface Form {
  action: string;
  fields: Record<string, string>;
}

/**
 * A browser without a screen: keeps cookies per host, follows redirects within our pages, fills in forms. It uses
 * node:http with the headers of a navigation, because `fetch` announces itself as a script.
 */
export interface BrowserSession {
  /** Sends one request; follows redirects to the origins of the session, unless `follow` is false. */
  get(url: string, options?: { follow?: boolean }): Promise<Visit>;
  post(
    url: string,
    fields: Record<string, string>,
    options?: { follow?: boolean; headers?: Record<string, string> },
  ): Promise<Visit>;
  /** Posts the page's first form, with these fields in addition to those that are filled in. */
  submit(page: Visit, fields: Record<string, string>, options?: { follow?: boolean }): Promise<Visit>;
  cookies: Map<string, string>;
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const unescape = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);

/** Returns the forms of a page. */
export function formsOf({ text, url }: Visit): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = "", content = ""]) => {
    const attribute = (from: string, name: string): string | undefined =>
      unescape(new RegExp(`\\b${name}="([^"]*)"`).exec(from)?.[1] ?? "") || undefined;
    const fields: Record<string, string> = {};
    for (const [, input = ""] of content.matchAll(/<input\b([^>]*)>/g)) {
      const name = attribute(input, "name");
      if (name !== undefined) fields[name] = attribute(input, "value") ?? "";
    }
    return { action: new URL(attribute(attributes, "action") ?? url, url).href, fields };
  });
}

/**
 * `origins`: the session follows redirects to these. A redirect to any other address, such as an application's, ends
 * the walk. `ca`: PEM of the certificates that the session trusts for https.
 */
export function createBrowserSession(
  origins: () => readonly string[],
  { ca, userAgent }: { ca?: string; userAgent?: string } = {},
): BrowserSession {
  const cookies = new Map<string, string>();

  const send = (
    method: string,
    url: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Visit> =>
    new Promise((resolve, reject) => {
      const target = new URL(url);
      const cookie = [...cookies]
        .filter(([key]) => key.startsWith(`${target.host} `))
        .map(([key, value]) => `${key.slice(target.host.length + 1)}=${value}`)
        .join("; ");
      const request = target.protocol === "https:" ? httpsRequest : httpRequest;
      const sent = request(
        target,
        {
          method,
          agent: false,
          ...(ca !== undefined && { ca }),
          headers: {
            accept: "text/html,application/xhtml+xml",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document",
            ...(userAgent !== undefined && { "user-agent": userAgent }),
            ...(cookie === "" ? {} : { cookie }),
            ...(body === undefined
              ? {}
              : {
                  "content-type": "application/x-www-form-urlencoded",
                  "content-length": String(Buffer.byteLength(body)),
                }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () => {
            for (const line of response.headers["set-cookie"] ?? []) keep(target.host, line);
            const text = Buffer.concat(chunks).toString("utf8");
            resolve({ status: response.statusCode ?? 0, url, headers: response.headers, text });
          });
        },
      );
      sent.once("error", reject);
      sent.end(body);
    });

  const keep = (host: string, line: string): void => {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0\b/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(`${host} ${name}`);
    else cookies.set(`${host} ${name}`, value);
  };

  const follow = async (visit: Visit, left = 20): Promise<Visit> => {
    const { location } = visit.headers;
    if (visit.status < 300 || visit.status > 399 || location === undefined || left === 0) return visit;
    const next = new URL(location, visit.url);
    if (!origins().includes(next.origin)) return visit;
    return follow(await send("GET", next.href, undefined, {}), left - 1);
  };

  const session: BrowserSession = {
    cookies,
    async get(url, options = {}) {
      const visit = await send("GET", url, undefined, {});
      return options.follow === false ? visit : follow(visit);
    },
    async post(url, fields, options = {}) {
      const visit = await send("POST", url, new URLSearchParams(fields).toString(), options.headers ?? {});
      return options.follow === false ? visit : follow(visit);
    },
    submit(page, fields, options) {
      const [form] = formsOf(page);
      if (form === undefined) throw new Error(`there is no form on ${page.url}: ${page.text.slice(0, 300)}`);
      return session.post(form.action, { ...form.fields, ...fields }, options);
    },
  };
  return session;
}
