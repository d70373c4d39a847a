// The service of docs/production.md, as the scripts that run on its machine reach it.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

export const base = "https://wifi.example.org";
export const plain = "http://wifi.example.org";
export const operator = (...command) => execFileSync("realmpass-operator", command, { encoding: "utf8" });
export const operatorJson = (...command) => JSON.parse(operator(...command, "--json"));

/** Repeats a check of something that happens asynchronously, until the check succeeds. */
export async function eventually(what, look) {
  let cause;
  for (let left = 600; left > 0; left -= 1) {
    try {
      const answer = await look();
      if (answer) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await delay(100);
  }
  throw new Error(`this did not come: ${what}`, { cause });
}

export const statusOf = async () => (await fetch(`${base}/status`)).json();

export async function isWell() {
  await eventually("an api that is ready", async () => (await fetch(`${base}/readyz`)).ok);
  await eventually("a service that is well", async () => (await statusOf()).result === "ok");
}

/** Registers an application of the realm; returns its secret, a token, and a function that calls the API with the token. */
export async function givenClient(name) {
  const address = ["--client-uri", "http://localhost"];
  const client = operatorJson("application", "create", "--type", "service", "--name", name, ...address);
  const answer = await fetch(`${base}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: client.client_id,
      client_secret: client.client_secret,
    }),
  });
  const { access_token: token } = await answer.json();
  const api = async (method, path, body) => {
    const answered = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answered.json();
  };
  return { secret: client.client_secret, token, api };
}

/** Fetches the issuing CA from its address, for OpenSSL. */
export async function fetchIssuer() {
  fs.writeFileSync("/tmp/issuer.cer", Buffer.from(await (await fetch(`${plain}/ca/1.cer`)).arrayBuffer()));
  execFileSync("openssl", ["x509", "-inform", "DER", "-in", "/tmp/issuer.cer", "-out", "/tmp/issuer.pem"]);
}

/**
 * Returns the OCSP status of serial numbers over plain http, as OpenSSL verifies it; on failure undefined, with the
 * reason in the log.
 */
export function askOcsp(serials) {
  const root = execFileSync("sh", ["-c", "ls /var/lib/realmpass-operator/ceremony/*.crt.pem"], { encoding: "utf8" });
  const args = ["ocsp", "-issuer", "/tmp/issuer.pem", ...serials.flatMap((serial) => ["-serial", serial])];
  args.push("-url", `${plain}/ocsp/1`, "-CAfile", root.trim(), "-verify_other", "/tmp/issuer.pem");
  const { stdout, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (!/Response verify OK/.test(stderr)) {
    process.stderr.write(`no OCSP answer: ${stderr}\n`);
    return undefined;
  }
  return [...stdout.matchAll(/: (good|revoked|unknown)/g)].map(([, status]) => status);
}

/** Returns the CRL as OpenSSL prints it. */
export async function readList() {
  fs.writeFileSync("/tmp/list.crl", Buffer.from(await (await fetch(`${plain}/crl/1.crl`)).arrayBuffer()));
  const args = ["crl", "-inform", "DER", "-in", "/tmp/list.crl", "-noout", "-text"];
  return execFileSync("openssl", args, { encoding: "utf8", maxBuffer: 2 ** 28 });
}

/**
 * Creates a browser that keeps cookies and fills in forms, because pages refuse `fetch`, which announces itself as a
 * script.
 */
export function createBrowser() {
  const cookies = new Map();
  const visit = (method, url, fields) =>
    new Promise((resolve, reject) => {
      const body = fields && new URLSearchParams(fields).toString();
      const headers = {
        cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        ...(body && { "content-type": "application/x-www-form-urlencoded", origin: base }),
      };
      const asked = request(url, { method, headers }, async (answer) => {
        for (const cookie of answer.headers["set-cookie"] ?? []) cookies.set(...cookie.split(";")[0].split(/=(.*)/, 2));
        let text = "";
        for await (const chunk of answer) text += chunk;
        const { location } = answer.headers;
        resolve(
          location === undefined ? { status: answer.statusCode, url, text } : visit("GET", new URL(location, url)),
        );
      });
      asked.once("error", reject);
      asked.end(body);
    });
  const valuesIn = (form) =>
    [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) =>
      ["name", "value"].map((name) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? ""),
    );
  return {
    open: (url) => visit("GET", new URL(url, base)),
    /** Posts, with these fields, the page's form that does not sign out. */
    send({ url, text }, fields) {
      const forms = [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, of, content]) => ({
        action: new URL(/ action="([^"]*)"/.exec(of)?.[1] ?? "", url),
        values: Object.fromEntries(valuesIn(content).filter(([name]) => name !== "")),
      }));
      const form = forms.find(({ action }) => !action.pathname.endsWith("/login/end"));
      if (form === undefined) throw new Error(`there is no form on ${url}: ${text.slice(0, 300)}`);
      return visit("POST", form.action, { ...form.values, ...fields });
    },
  };
}
