// Installs the downloaded configuration of FreeRADIUS on the machine of docs/production.md, strict and then resilient,
// and connects devices. Runs there, and prints one line of JSON. /mnt/clients.conf has a secret for this machine.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { base, eventually, givenClient, isWell, plain } from "./service.mjs";

const found = {};
const secret = /secret = "(\w+)"/.exec(fs.readFileSync("/mnt/clients.conf", "utf8"))[1];
const systemctl = (...args) => spawnSync("systemctl", args, { encoding: "utf8" });
const state = (unit) => [systemctl("is-enabled", unit).stdout.trim(), systemctl("is-active", unit).stdout.trim()];

await isWell();
const { api } = await givenClient("RADIUS");
const wanted = { format: "pem", validityMonths: 24 };
const { data: server } = await api("POST", "/api/infrastructure-profile/radius.example.org", wanted);
const { data: users } = await api("GET", "/api/user");
const laptop = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
const issue = async () => (await api("POST", `/api/user/${users[0].userID}/profiles/laptop`, laptop)).data;

const device = "/root/device";
fs.mkdirSync(device, { recursive: true });
fs.writeFileSync(`${device}/ca.pem`, await (await fetch(`${plain}/ca/1.pem`)).text());

/** Returns whether the RADIUS server admits a device. */
function admits({ certificate, privateKey }) {
  fs.writeFileSync(`${device}/laptop.pem`, certificate);
  fs.writeFileSync(`${device}/laptop.key`, privateKey);
  const network = `network={
    key_mgmt=WPA-EAP
    eap=TLS
    identity="@example.org"
    ca_cert="${device}/ca.pem"
    domain_match="radius.example.org"
    client_cert="${device}/laptop.pem"
    private_key="${device}/laptop.key"
  }`;
  fs.writeFileSync(`${device}/laptop.conf`, network);
  const args = ["-c", `${device}/laptop.conf`, "-a", "127.0.0.1", "-p", "1812", "-s", secret, "-t", "15"];
  const { status, stdout } = spawnSync("eapol_test", args, { encoding: "utf8" });
  if (status !== 0 && !stdout.includes("code=3 (Access-Reject)")) throw new Error(stdout.slice(-2_000));
  return status === 0;
}

for (const mode of ["strict", "resilient"]) {
  fs.rmSync("/root/realmpass-radius", { recursive: true, force: true });
  const archive = await fetch(`${base}/docs/radius/package-${mode}.tar?realm=example`);
  execFileSync("tar", ["-C", "/root", "-xf", "-"], { input: Buffer.from(await archive.arrayBuffer()) });
  const add = (name, text) => fs.writeFileSync(`/root/realmpass-radius/${name}`, text, { mode: 0o600 });
  add("server.pem", server.certificate);
  add("server.key", server.privateKey);
  add("clients.conf", fs.readFileSync("/mnt/clients.conf"));
  const { status, stderr } = spawnSync("/root/realmpass-radius/install", { encoding: "utf8" });
  if (status !== 0) {
    const journal = spawnSync("journalctl", ["-n", "40", "-u", "freeradius", "-u", "realmpass-crl"], {
      encoding: "utf8",
    });
    throw new Error(`install ended with ${status}: ${stderr}\n${journal.stdout}`);
  }

  const good = await issue();
  const lost = await issue();
  const here = (found[mode] = { freeradius: state("freeradius"), timer: state("realmpass-crl.timer") });
  here.before = [admits(good), admits(lost)];
  await api("DELETE", `/api/profiles/${lost.serial}`);
  await eventually("a revoked device to be refused", () => !admits(lost));
  here.revoked = [admits(good), admits(lost)];
  // The next CRL contains the revocation, and the timer fetches it.
  if (mode === "resilient") {
    const serial = BigInt(lost.serial).toString(16).toUpperCase();
    await eventually("the CRL that names the revoked device", () => {
      const files = execFileSync("sh", [
        "-c",
        "for f in /var/lib/realmpass-crl/*.r*; do openssl crl -noout -text -in $f; done",
      ]);
      return files.toString().includes(serial);
    });
  }
  // Stops and starts everything as docs/backup.md does, including the timer that fetches the CRL.
  systemctl("stop", "realmpass.target", "realmpass-*");
  here.away = [admits(good), admits(lost)];
  systemctl("start", "realmpass.target");
  here.timers = [state("realmpass-crl.timer")[1]];
  systemctl("start", "timers.target");
  here.timers.push(state("realmpass-crl.timer")[1]);
  await isWell();
}
// Stops these units, so that they do not affect later steps on this machine.
systemctl("disable", "--now", "realmpass-crl.timer", "freeradius");

process.stdout.write(`\nRADIUS ${JSON.stringify(found)}\n`);
