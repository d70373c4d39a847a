// `drill.mjs before` and `drill.mjs after`: what a restore by docs/backup.md loses, and the state after it. The second
// prints one line of JSON.
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { askOcsp, eventually, fetchIssuer, givenClient, isWell, operator, operatorJson, readList } from "./service.mjs";

const keptFile = "/tmp/drill.json";
const headFile = "/var/lib/realmpass-operator/head.json";
async function before() {
  const { api } = await givenClient("drill");
  const person = async (username) => {
    const { userID } = operatorJson("user", "create", "--username", username);
    await wanted(() => api("PUT", `/api/user/${userID}/limit`, { profileOverride: 100 }));
    return userID;
  };
  const people = [];
  for (let number = 1; number <= 13; number += 1) people.push(await person(`person-${number}`));
  const [leaves, loses, other, ...rest] = people;
  const good = await profiles(api, [rest[0]], 20);
  const revoked = await profiles(api, [loses, other], 150);
  const offboarded = await profiles(api, [leaves], 50);
  // Most of the realm's profiles are revoked within the hour.
  operatorJson("realm", "set", "--offboarding-share", "100");
  execFileSync("systemctl", ["start", "realmpass-backup"]);

  const lost = [
    ...(await profiles(api, rest.slice(1), 900, "lost")),
    ...(await profiles(api, [rest[0], leaves], 100, "lost")),
  ];
  for (const serial of revoked) await wanted(() => api("DELETE", `/api/profiles/${serial}`));
  await wanted(() => api("DELETE", `/api/user/${leaves}`));
  const { userID: lastUser } = operatorJson("user", "create", "--username", "comes-later");
  await eventually("every serial number on the CRL", async () => entriesOf(await readList()).size >= 200);
  await eventually("an audit log that is sealed", async () => operatorJson("audit", "verify").chains[0].unsealed === 0);
  execFileSync("systemctl", ["start", "realmpass-audit-export"]);
  fs.writeFileSync(headFile, operator("audit", "head", "--json"));
  const crlNumber = numberOf(await readList());
  fs.writeFileSync(keptFile, JSON.stringify({ good, revoked, offboarded, lost, lastUser, crlNumber }));
}

async function after() {
  const { good, revoked, offboarded, lost, lastUser, crlNumber } = JSON.parse(fs.readFileSync(keptFile, "utf8"));
  await isWell();
  await fetchIssuer();
  const found = {};
  found.ocsp = {
    good: await askAll(good),
    revoked: await askAll(revoked),
    offboarded: await askAll(offboarded),
    lost: await askAll(lost),
  };
  const onList = async (serials) => {
    const list = entriesOf(await readList());
    return serials.filter((serial) => list.has(serial)).length;
  };
  await eventually(
    "all of them on the CRL",
    async () => (await onList([...revoked, ...offboarded, ...lost])) === 1_200,
  );
  found.onList = { good: await onList(good), others: await onList([...revoked, ...offboarded, ...lost]) };
  found.crlNumberRises = numberOf(await readList()) > crlNumber;

  // Revokes by serial number alone a certificate issued since the backup, and a certificate that the database knows.
  const { serials } = operatorJson("crl", "revoke-serial", "--issuer", "1", "--serial", lost[0], "--serial", good[0]);
  found.bySerial = [serials[lost[0]], serials[good[0]], ...(await askAll([good[0]]))];

  const { userID } = operatorJson("user", "create", "--username", "new");
  found.numberIsNew = Number(userID) > Number(lastUser);

  const again = operatorJson("revocations", "replay", ...exportsOf("audit-until"), "--head", headFile);
  found.again = [again.revoked, again.listed, again.offboarded];
  const verify = (...more) => {
    try {
      return operatorJson("audit", "verify", "--head", headFile, ...more);
    } catch (error) {
      return JSON.parse(error.stdout);
    }
  };
  const [restored] = fs
    .readFileSync("/run/units/realmpass-database-restored.service.log", "utf8")
    .match(/(?<=entry is )\d+/);
  found.unacknowledged = verify().chains[0].faults.map(({ kind }) => kind);
  const { ok, chains } = verify("--acknowledged", restored);
  found.verified = { ok, lost: chains[0].lost };
  found.head = JSON.parse(fs.readFileSync(headFile, "utf8")).position;
  execFileSync("systemctl", ["start", "realmpass-audit-export"]);
  process.stdout.write(`\nDRILL ${JSON.stringify(found)}\n`);
}

function exportsOf(directory) {
  const list = `ls -d /var/lib/realmpass-operator/${directory}*/*.ndjson`;
  return execFileSync("sh", ["-c", list], { encoding: "utf8" }).trim().split("\n");
}

/** Creates profiles, an equal number for each of these people; returns their serial numbers in decimal. */
async function profiles(api, userIDs, count, name = "device") {
  const serials = [];
  let next = 0;
  const make = async () => {
    while (next < count) {
      next += 1;
      const path = `/api/user/${userIDs[next % userIDs.length]}/profiles/${name}-${next}`;
      const { data } = await wanted(() =>
        api("POST", path, { format: "pem", deviceType: "Linux", keyType: "ec-p256" }),
      );
      serials.push(BigInt(`0x${new X509Certificate(data.certificate).serialNumber}`).toString());
    }
  };
  await Promise.all(Array.from({ length: 16 }, make));
  return serials;
}

/** Returns the response, retrying while the token is over its rate limit. */
async function wanted(ask) {
  for (;;) {
    const answer = await ask();
    if (answer.result === "ok") return answer;
    if (answer.code !== 429) throw new Error(JSON.stringify(answer));
    await delay(200);
  }
}

/** Returns the distinct OCSP statuses of these serial numbers. */
async function askAll(serials) {
  const said = new Set();
  for (let from = 0; from < serials.length; from += 10) {
    const some = serials.slice(from, from + 10);
    const statuses = await eventually("an OCSP answer", async () => askOcsp(some));
    if (statuses.length !== some.length) throw new Error(`${statuses.length} answers for ${some.length}`);
    for (const status of statuses) said.add(status);
  }
  return [...said];
}

const entriesOf = (list) =>
  new Set([...list.matchAll(/Serial Number: ([0-9A-F]+)/g)].map(([, hex]) => BigInt(`0x${hex}`).toString()));

const numberOf = (list) => Number(/X509v3 CRL Number:\s*(\S+)/.exec(list)[1]);

await (process.argv[2] === "before" ? before() : after());
