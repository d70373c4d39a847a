// A second machine in addition to the one of docs/production.md: it has its own network and its own /etc/realmpass,
// with the settings of the page, which are the argument. Runs there, and prints one line of JSON.
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import { askOcsp, base, eventually, fetchIssuer, givenClient, isWell, operatorJson, plain } from "./service.mjs";

const page = JSON.parse(process.argv[2]);
const [first, second] = ["10.0.0.1", "10.0.0.2"];
const sh = (script) => execFileSync("bash", ["-eu", "-o", "pipefail", "-c", script], { encoding: "utf8" });
const edit = (file, change) => fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")));
const set = (file, setting) =>
  edit(file, (text) => {
    const name = setting.slice(0, setting.indexOf("=") + 1);
    const others = text.split("\n").filter((line) => !line.startsWith(name));
    return [...others, setting, ""].join("\n");
  });

sh(`
  ip netns add second
  ip link add first0 type veth peer name second0 netns second
  ip address add ${first}/24 dev first0
  ip link set first0 up
  ip -n second link set lo up
  ip -n second address add ${second}/24 dev second0
  ip -n second link set second0 up
`);

// Both machines.
set("/etc/realmpass/common.env", page.proxies);
for (const name of ["api", "worker", "operator"]) set(`/etc/realmpass/${name}.env`, page.queue);
fs.cpSync("/etc/realmpass", "/etc/second", { recursive: true });
set("/etc/realmpass/responder.env", `${page.ocspHost}${first}`);
set("/etc/second/responder.env", `${page.ocspHost}${second}`);

// The first machine. Its PostgreSQL presents a certificate that the second machine's processes verify.
sh(`
  version=$(ls /usr/lib/postgresql | sort -n | tail -1)
  directory=/etc/postgresql/$version/main
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=database \
    -addext subjectAltName=IP:${first} -keyout $directory/key.pem -out /etc/second/database.pem 2>/dev/null
  cp /etc/second/database.pem $directory/certificate.pem
  chown postgres: $directory/*.pem
  chmod 0600 $directory/key.pem
  printf "%s\n" "${page.listen}" ssl=on "ssl_cert_file='$directory/certificate.pem'" "ssl_key_file='$directory/key.pem'" >>$directory/postgresql.conf
  echo "${page.admitted}" >>$directory/pg_hba.conf
  pg_ctlcluster "$version" main restart
  echo "${page.bind}" >>/etc/redis/realmpass.conf
  systemctl restart redis-server
`);
edit("/etc/nginx/conf.d/realmpass.conf", (text) =>
  text
    .replaceAll(/^( *server )127\.0\.0\.1(:300\d .*)$/gm, `$1127.0.0.1$2\n$1${second}$2`)
    .replaceAll(/^( *server )127\.0\.0\.1(:400\d .*)$/gm, `$1${first}$2\n$1${second}$2`),
);
if (!fs.readFileSync("/etc/nginx/conf.d/realmpass.conf", "utf8").includes(page.server)) throw new Error("nginx");
const units = (...names) => names.map((name) => `realmpass-${name}`);
const apis = units("api@3000", "api@3001");
const responders = units("responder@4000", "responder@4001");
const workers = units("worker@1", "worker@2");
const systemctl = (verb, names) => sh(`systemctl ${verb} ${names.join(" ")}`);
for (const verb of ["stop", "start"]) systemctl(verb, [...responders, ...workers, ...apis]);
sh("nginx -t 2>/dev/null && systemctl reload nginx");

// The second machine: processes in its network, with its /etc/realmpass.
for (const name of ["postgres", "redis", "operator"]) fs.rmSync(`/etc/second/credentials/${name}`, { recursive: true });
for (const name of ["api", "worker", "responder"]) {
  edit(`/etc/second/${name}.env`, (text) =>
    text
      .replaceAll("127.0.0.1", first)
      .replace(/^(DATABASE_URL=.*)$/m, "$1?sslmode=verify-full&sslrootcert=/etc/realmpass/database.pem"),
  );
}
set("/etc/second/api.env", page.host);
const there = (script) =>
  sh(`ip netns exec second unshare --mount bash -eu -c '
    mount --bind /etc/second /etc/realmpass
    mkdir -p /run/second/units /run/second/credentials
    mount --bind /run/second/units /run/units
    mount --bind /run/second/credentials /run/credentials
    ${script}'`);
there(`systemctl enable --now ${[...responders, ...workers, ...apis].join(" ")}`);
await isWell();

const found = {};
const doctor = () => {
  const { stdout } = spawnSync("realmpass-operator", ["doctor", "--json"], { encoding: "utf8" });
  return JSON.parse(stdout).checks;
};
found.alive = await eventually("four of each kind", () => {
  const { message } = doctor().find(({ name }) => name === "processes");
  return /4 .*4 .*4 /.test(message) && message;
});
found.fails = doctor().filter(({ status }) => status === "fail");

const { api } = await givenClient("second");
const { userID } = operatorJson("user", "create", "--username", "mia");
await fetchIssuer();

// From here on the first machine's processes are stopped.
systemctl("stop", [...apis, ...responders, ...workers]);
await eventually("the second machine's api", async () => (await fetch(`${base}/readyz`)).ok);
const { data } = await api("POST", `/api/user/${userID}/profiles/phone`, {
  format: "pem",
  deviceType: "Linux",
  keyType: "ec-p256",
});
const certificate = new X509Certificate(data.certificate);
found.ocsp = askOcsp([`0x${certificate.serialNumber}`])?.[0];
found.crl = (await fetch(`${plain}/crl/1.crl`)).status;
found.trusted = doctor().filter(({ name, status }) => name === "base-url" && status === "fail");
there(`systemctl stop ${apis.join(" ")}`);
set("/etc/second/common.env", "REALMPASS_TRUSTED_PROXIES=loopback");
there(`systemctl start ${apis.join(" ")}`);
await eventually("the second machine's api", async () => (await fetch(`${base}/readyz`)).ok);
found.untrusted = doctor().filter(({ name, status }) => name === "base-url" && status === "fail");
process.stdout.write(`\nFOUND ${JSON.stringify(found)}\n`);
