// What is true on the machine once docs/production.md has been followed. Runs there, and prints one line of JSON.
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const found = {};
const base = "https://wifi.example.org";
const plain = "http://wifi.example.org";
const operator = (...command) => execFileSync("realmpass-operator", command, { encoding: "utf8" });

/** Repeats what a process does in its own time, until it is there. */
async function eventually(what, look) {
  for (let left = 600; left > 0; left -= 1) {
    const answer = await look().catch(() => undefined);
    if (answer) return answer;
    await delay(100);
  }
  throw new Error(`this did not come: ${what}`);
}

await eventually("an api that is ready", async () => (await fetch(`${base}/readyz`)).ok);
const statusOf = async () => (await fetch(`${base}/status`)).json();
await eventually("a service that is well", async () => (await statusOf()).result === "ok");
found.status = (await statusOf()).data.state;

const client = JSON.parse(
  operator(
    "application",
    "create",
    "--type",
    "service",
    "--name",
    "walk",
    "--client-uri",
    "http://localhost",
    "--json",
  ),
);
const { userID } = JSON.parse(operator("user", "create", "--username", "mia", "--json"));
const link = JSON.parse(operator("user", "sign-in-link", "--username", "mia", "--json")).url;
found.linkStatus = (await fetch(link, { redirect: "manual" })).status;

const tokenAnswer = await fetch(`${base}/oauth/token`, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.client_id,
    client_secret: client.client_secret,
  }),
});
const { access_token: token } = await tokenAnswer.json();
const api = async (method, path, body) => {
  const answer = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
};
const { data } = await api("POST", `/api/user/${userID}/profiles/phone`, {
  format: "pem",
  deviceType: "Linux",
  keyType: "ec-p256",
});
const certificate = new X509Certificate(data.certificate);
found.subjectEnds = certificate.subject
  .split("\n")
  .some((line) => line.startsWith("CN=") && line.endsWith("example.org"));
found.points = [...certificate.infoAccess.matchAll(/URI:(\S+)/g)].map(([, url]) => url);
fs.writeFileSync("/tmp/issuer.cer", Buffer.from(await (await fetch(`${plain}/ca/1.cer`)).arrayBuffer()));
execFileSync("openssl", ["x509", "-inform", "DER", "-in", "/tmp/issuer.cer", "-out", "/tmp/issuer.pem"]);
const root = execFileSync("sh", ["-c", "ls /var/lib/realmpass-operator/ceremony/*.crt.pem"], {
  encoding: "utf8",
}).trim();
const ask = () => {
  const args = [
    "ocsp",
    "-issuer",
    "/tmp/issuer.pem",
    "-serial",
    `0x${certificate.serialNumber}`,
    "-url",
    `${plain}/ocsp/1`,
    "-CAfile",
    root,
    "-verify_other",
    "/tmp/issuer.pem",
  ];
  const { stdout, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  return /Response verify OK/.test(stderr) ? /: (good|revoked|unknown)/.exec(stdout)?.[1] : undefined;
};
found.before = await eventually("an OCSP answer", async () => ask());
await api("DELETE", `/api/profiles/${BigInt(`0x${certificate.serialNumber}`)}`);
found.after = ask();
found.onList = await eventually("the certificate on the CRL", async () => {
  fs.writeFileSync("/tmp/list.crl", Buffer.from(await (await fetch(`${plain}/crl/1.crl`)).arrayBuffer()));
  const text = execFileSync("openssl", ["crl", "-inform", "DER", "-in", "/tmp/list.crl", "-noout", "-text"], {
    encoding: "utf8",
  });
  return text.includes(`Serial Number: ${certificate.serialNumber}`);
});
const redirected = await fetch(`${plain}/me`, { redirect: "manual" });
found.elsewhere = [redirected.status, redirected.headers.get("location")];

// One of two may always be away.
for (const name of ["realmpass-api@3000", "realmpass-responder@4000", "realmpass-worker@1"]) {
  execFileSync("systemctl", ["stop", name]);
}
found.withOneLess = [];
for (let time = 0; time < 20; time += 1) found.withOneLess.push((await fetch(`${base}/readyz`)).status, ask());
for (const name of ["realmpass-api@3000", "realmpass-responder@4000", "realmpass-worker@1"]) {
  execFileSync("systemctl", ["start", name]);
}

for (const name of ["realmpass-backup"]) execFileSync("systemctl", ["start", name]);
found.dumps = fs.readdirSync("/var/lib/realmpass-backup").map((name) => name.replace(/\d/g, "0"));
const secrets = [new URL(link).pathname.split("/").pop(), token, client.client_secret];
const logs = execFileSync("sh", ["-c", "cat /var/log/nginx/*.log /run/units/*.log"], { encoding: "utf8" });
found.secretsInLogs = secrets.filter((secret) => logs.includes(secret)).length;
const units = ["api@3000", "responder@4000", "worker@1", "migrate", "doctor", "backup", "audit-export"].map(
  (name) => `realmpass-${name}.service`,
);
const analyze = (...args) => {
  const { stdout, stderr, status } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, said: (stdout + stderr).split("\n").filter((line) => line.includes("realmpass")) };
};
const others = ["doctor.timer", "backup.timer", "audit-export.timer"].map((name) => `realmpass-${name}`);
found.verified = analyze("verify", ...units, ...others, "realmpass.target").said;
// In tenths: 20 is 2.0 of 10, where 10 is a process that may do anything.
found.exposed = units.filter((unit) => analyze("security", "--offline=true", "--threshold=20", unit).status !== 0);

found.doctor = spawnSync("realmpass-operator", ["doctor", "--json"], { encoding: "utf8" }).stdout;
process.stdout.write(`\nFOUND ${JSON.stringify(found)}\n`);
