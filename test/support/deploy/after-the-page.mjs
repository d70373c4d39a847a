// Prints the state of the machine once docs/production.md has been followed, as one line of JSON. Runs on that machine.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHmac, hkdfSync, X509Certificate } from "node:crypto";
import fs from "node:fs";
import { promisify } from "node:util";
import {
  askOcsp,
  base,
  createBrowser,
  eventually,
  fetchIssuer,
  givenClient,
  isWell,
  operatorJson,
  plain,
  readList,
  statusOf,
} from "./service.mjs";

const runBeside = promisify(execFile);
const found = {};
await isWell();
found.status = (await statusOf()).data.state;

const { api, secret, token } = await givenClient("walk");
const { userID } = operatorJson("user", "create", "--username", "mia");
const link = operatorJson("user", "sign-in-link", "--username", "mia").url;
found.linkStatus = (await fetch(link, { redirect: "manual" })).status;

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
await fetchIssuer();
const ask = () => askOcsp([`0x${certificate.serialNumber}`])?.[0];
found.before = await eventually("an OCSP answer", async () => ask());
await api("DELETE", `/api/profiles/${BigInt(`0x${certificate.serialNumber}`)}`);
found.after = ask();
found.onList = await eventually("the certificate on the CRL", async () =>
  (await readList()).includes(`Serial Number: ${certificate.serialNumber}`),
);
const redirected = await fetch(`${plain}/me`, { redirect: "manual" });
found.elsewhere = [redirected.status, redirected.headers.get("location")];

// The service keeps running without one process of each kind.
for (const name of ["realmpass-api@3000", "realmpass-responder@4000", "realmpass-worker@1"]) {
  execFileSync("systemctl", ["stop", name]);
}
found.withOneLess = [];
for (let time = 0; time < 20; time += 1) found.withOneLess.push((await fetch(`${base}/readyz`)).status, ask());
for (const name of ["realmpass-api@3000", "realmpass-responder@4000", "realmpass-worker@1"]) {
  execFileSync("systemctl", ["start", name]);
}

// Each api in turn is restarted while people and programs send requests. The proxy hides this from all of them.
const isReady = (port) =>
  eventually(`an api on ${port} that is ready`, async () => (await fetch(`http://127.0.0.1:1${port}/readyz`)).ok);
const answers = new Map();
let isOver = false;
const asks = [
  (number) => [
    `/api/user/${userID}/profiles/rolling-${number}`,
    { format: "pem", deviceType: "Linux", keyType: "ec-p256" },
  ],
  () => ["/api/profiles?limit=1"],
  () => ["/api/realm"],
];
const load = Array.from({ length: 6 }, async (_, place) => {
  for (let number = place; !isOver; number += 6) {
    const [path, body] = asks[number % asks.length](number);
    const status = await fetch(base + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      (error) => String(error.cause ?? error),
    );
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
});
for (const port of ["3000", "3001"]) {
  for (const what of ["stop", "start"]) await runBeside("systemctl", [what, `realmpass-api@${port}`]);
  await isReady(port);
}
isOver = true;
await Promise.all(load);
found.rolling = Object.fromEntries(answers);

// A guest's link leads to a page. That page leads to a link that hands a profile over to another device.
const guest = await api("POST", "/api/guest-account", {
  name: "Guest",
  expirationDate: new Date(Date.now() + 86_400_000).toISOString(),
});
const guestToken = (await api("GET", `/api/guest-token/${guest.data.id}`)).data;
const [guestBrowser, device] = [createBrowser(), createBrowser()];
const form = await guestBrowser.open(`/guest/${guestToken}/devices/new`);
const offered = await guestBrowser.send(form, { device_type: "Linux", format: "", place: "elsewhere" });
// Computes the hand-over link, which the page shows as a QR code.
const masterKey = Buffer.from(fs.readFileSync("/etc/realmpass/credentials/api/master-key", "utf8").trim(), "base64url");
const keyOfLinks = Buffer.from(hkdfSync("sha256", masterKey, "", "realmpass hand-over", 32));
const handOverId = String(offered.url).split("/").pop();
const handOver = `rph_${createHmac("sha256", keyOfLinks).update(handOverId).digest().subarray(0, 16).toString("base64url")}`;
const picked = await device.send(await device.open(`/d/${handOver}`), { device_type: "Linux" });
found.links = [form.status, offered.status, picked.status];

const headersOf = async (url) => (await fetch(url)).headers.has("strict-transport-security");
found.strictTransport = [
  await headersOf(`${base}/readyz`),
  await headersOf(`${plain}/crl/1.crl`),
  await headersOf(`${plain}/ca/1.cer`),
];

// A file with as many rows as a job is allowed to have.
const lines = ["pairwiseID,email"];
for (let row = 1; row <= 200_000; row += 1)
  lines.push(`student-${row}@example.org,student-${row}@students.example.org`);
const upload = await fetch(`${base}/api/jobs/onboarding?dryRun=true`, {
  method: "POST",
  headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
  body: lines.join("\r\n"),
});
const job = (await upload.json()).data;
const rows = await api("GET", `/api/jobs/${job.id}/rows?limit=1`);
found.upload = [upload.status, job.total, rows.data[0].pairwiseID];
const peak = (unit) => {
  const pid = fs.readFileSync(`/run/units/${unit}.service.pid`, "utf8");
  return Math.round(Number(/VmHWM:\s*(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
};
found.apiMegabytes = Math.max(peak("realmpass-api@3000"), peak("realmpass-api@3001"));
await eventually("a job that is checked", async () => (await api("GET", `/api/jobs/${job.id}`)).data.state === "ready");

for (const name of ["realmpass-backup", "realmpass-audit-export"]) execFileSync("systemctl", ["start", name]);
found.dumps = fs.readdirSync("/var/lib/realmpass-backup").map((name) => name.replace(/\d/g, "0"));
found.exports = fs.readdirSync("/var/lib/realmpass-operator/audit").map((name) => name.replace(/\d/g, "0"));
const secrets = [new URL(link).pathname.split("/").pop(), token, secret, guestToken, handOver];
const logs = execFileSync("sh", ["-c", "cat /var/log/nginx/*.log /run/units/*.log"], { encoding: "utf8" });
// Each kind of token has a distinct prefix.
found.secretsInLogs = [
  ...secrets.filter((secret) => logs.includes(secret)),
  ...(logs.match(/\brp[a-z]_[\w-]{16,}/g) ?? []),
];
const units = [
  "api@3000",
  "responder@4000",
  "worker@1",
  "migrate",
  "doctor",
  "backup",
  "audit-export",
  "database-restored",
  "failed@realmpass-doctor",
].map((name) => `realmpass-${name}.service`);
const analyze = (...args) => {
  const { stdout, stderr, status } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, said: (stdout + stderr).split("\n").filter((line) => line.includes("realmpass")) };
};
const others = ["doctor.timer", "backup.timer", "audit-export.timer", "copy.timer"].map((name) => `realmpass-${name}`);
found.verified = analyze("verify", ...units, ...others, "realmpass.target").said;
// In tenths: 20 means 2.0 of 10; 10 stands for a process without any confinement.
found.exposed = units.filter((unit) => analyze("security", "--offline=true", "--threshold=20", unit).status !== 0);

found.doctor = spawnSync("realmpass-operator", ["doctor", "--json"], { encoding: "utf8" }).stdout;
process.stdout.write(`\nFOUND ${JSON.stringify(found)}\n`);
