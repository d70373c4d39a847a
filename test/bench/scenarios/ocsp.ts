import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, nonceExtension, outcomeOf } from "../../support/pki/ocsp.ts";
import { loadCells, loadColumns } from "../columns.ts";
import { loadFigures } from "../figures.ts";
import { measure, untilQuiet, type Measured } from "../load/index.ts";
import { startOpensslResponder } from "../load/openssl-responder.ts";
import type { Service } from "../service.ts";
import { figure, median } from "../statistics.ts";
import type { Run, Scenario } from "./scenario.ts";

const certificates = 2_000;
const requests = 20_000;
const opensslRequests = 4_000;
const rounds = 3;
const evenRate = 500;
const opensslName = "openssl ocsp";

/** Measures the request that a RADIUS server sends for each device that connects. */
export const ocsp: Scenario = {
  title: "OCSP",
  about: `\`POST /ocsp/{issuer}\` for ${certificates} certificates in turn, each answer signed with P-256: by a responder, through the API, and by \`openssl ocsp -port\`; ${rounds} rounds.`,
  columns: ["responder", "request", "connections", ...loadColumns({ times: "openssl ocsp" }), "goal"],
  keptOnly: { columns: ["p50 ms", "p95 ms", "p99 ms"] },
  backends: ["postgres"],
  env: () => ({ REALMPASS_RATE_LIMIT_OCSP: "1000000" }),

  async run({ service, quick, once, cleanup }) {
    const { serialNumbers, variants: own } = await prepare(service);
    const openssl = await startOpensslResponder(serialNumbers, cleanup);
    await expectGood(`http://127.0.0.1:${openssl.port}/`, openssl.issuer, serialNumbers);
    const variants: Variant[] = [
      ...own,
      {
        name: opensslName,
        what: "nonce, a connection each",
        order: { ...apart, path: "/", bodies: encodeBodies(openssl.issuer, serialNumbers, { nonce: true }) },
        target: { port: openssl.port, token: "", cpu: () => openssl.cpu() },
      },
    ];

    const measured = new Map<Variant, Measured[]>(variants.map((each) => [each, []]));
    for (let round = -1; round < (once ? 1 : rounds); round++) {
      for (const each of variants) {
        const [result] = await untilQuiet({ quick: quick || round < 0 }, () =>
          load(each, { quick: quick || round < 0, cleanup }),
        );
        if (round >= 0) measured.get(each)?.push(result);
      }
    }
    await openssl.stop();
    const opensslUs = median(
      [...measured].flatMap(([{ name }, results]) => (name === opensslName ? results.map(({ cpuUs }) => cpuUs) : [])),
    );
    const signatureUs = signatureAlone(quick);
    return {
      rows: [
        ...[...measured].map(([each, results]) => rowOf(each, results, opensslUs)),
        ["a P-256 signature, nothing else", "", "", figure(1e6 / signatureUs), "", "", "", figure(signatureUs)],
      ],
      figures: [...measured]
        .filter(([each]) => own.includes(each))
        .flatMap(([{ name, what }, results]) => loadFigures(`${name}: ${what}`, results)),
    };
  },

  async inTurn({ service, cleanup }) {
    const { variants } = await prepare(service);
    return variants.map((each) => async () => {
      const half = { ...each, order: { ...each.order, count: each.order.count / 2 } };
      return loadFigures(`${each.name}: ${each.what}`, [await load(half, { quick: false, cleanup })]);
    });
  },
};

const kept = { concurrency: 32, count: requests };
const apart = { concurrency: 8, count: opensslRequests, reconnect: true };

/** Adds certificates to the service and returns the requests about them. */
async function prepare(service: Service): Promise<{ serialNumbers: string[]; variants: Variant[] }> {
  const { issuerId, issuer, serialNumbers } = await addCertificates(service);
  const [port = 0] = service.ocspPorts;
  const path = `/ocsp/${issuerId}`;
  await expectGood(`http://127.0.0.1:${port}${path}`, issuer, serialNumbers);
  const direct = { ...service, port };
  const nonce = { path, bodies: encodeBodies(issuer, serialNumbers, { nonce: true }) };
  const noNonce = { path, bodies: encodeBodies(issuer, serialNumbers, { nonce: false }) };
  const even = { ...kept, count: evenRate * 10, rate: evenRate };
  const variants: Variant[] = [
    { name: "responder", what: "nonce", order: { ...kept, ...nonce }, target: direct },
    { name: "responder", what: "no nonce", order: { ...kept, ...noNonce }, target: direct },
    { name: "responder", what: `nonce, ${evenRate}/s`, order: { ...even, ...nonce }, target: direct },
    { name: "api and responder", what: "nonce", order: { ...kept, ...nonce }, target: service },
    { name: "responder", what: "nonce, a connection each", order: { ...apart, ...nonce }, target: direct },
  ];
  return { serialNumbers, variants };
}

const encodeBodies = (issuer: Buffer, serialNumbers: readonly string[], { nonce }: { nonce: boolean }): string[] =>
  serialNumbers.map((serialNumber) => encodeRequest(issuer, serialNumber, nonce).toString("base64"));

interface Order {
  path: string;
  bodies: readonly string[];
  concurrency: number;
  count: number;
  reconnect?: boolean;
  rate?: number;
}
type Target = Pick<Service, "port" | "token" | "cpu">;

interface Variant {
  name: string;
  what: string;
  order: Order;
  target: Target;
}

/** Measures the least CPU time that a responder needs if it signs each response, in microseconds on one core. */
function signatureAlone(quick: boolean): number {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const answer = randomBytes(150);
  const count = quick ? 1_000 : 10_000;
  const costs = Array.from({ length: rounds + 1 }, () => {
    const before = process.cpuUsage();
    for (let made = 0; made < count; made++) sign("sha256", answer, privateKey);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  });
  return median(costs.slice(1));
}

const load = (
  { order: { path, bodies, count, ...order }, target }: Variant,
  { quick, cleanup }: Pick<Run, "quick" | "cleanup">,
): Promise<Measured> =>
  measure(
    target,
    {
      ...order,
      method: "POST",
      paths: [path],
      octets: { type: "application/ocsp-request", bodies },
      // The name of the certificate that signs the response: a response without a status does not contain it.
      contains: "OCSP responder",
      count: quick ? count / 10 : count,
    },
    cleanup,
  );

/** `openssl ocsp` also needs a connection for each request, so it is compared with the row that has one. */
const rowOf = ({ name, what, order }: Variant, results: readonly Measured[], opensslUs: number): string[] => [
  name,
  what,
  String(order.concurrency),
  ...loadCells(results, order.reconnect === true ? opensslUs : null),
  name === "api and responder" ? "≥ 6,000/s" : order.reconnect === true && name !== opensslName ? "≥ 4,000/s" : "",
];

export const encodeRequest = (issuer: Buffer, serialNumber: string, withNonce: boolean): Buffer =>
  encodeOcspRequest([encodeCertId({ issuer, serialNumber })], withNonce ? [nonceExtension(randomBytes(16))] : []);

/**
 * Expects the right response about an existing certificate and about a missing certificate, so the figures describe
 * correct responses.
 */
async function expectGood(url: string, issuer: Buffer, serialNumbers: readonly string[]): Promise<void> {
  for (const [serialNumber, expected] of [
    [serialNumbers[0] ?? "", "good"],
    ["12345", "unknown"],
  ] as const) {
    const { body } = await askOverHttp(url, { body: encodeRequest(issuer, serialNumber, true) });
    if (outcomeOf(body) !== expected) throw new Error(`${url} does not say that a certificate is ${expected}`);
  }
}

/** Makes certificates that were never issued; the responder does not look at them. */
export async function addCertificates({ db, realmId }: Service): Promise<{
  issuerId: string;
  issuer: Buffer;
  serialNumbers: string[];
}> {
  const { id: issuerId, certificate: issuer } = only(
    await db.query<{ id: string; certificate: Buffer }>(
      sql`select id, certificate from issuers where realm_id = ${realmId} and issuing`,
    ),
  );
  const serialNumbers = Array.from({ length: certificates }, () =>
    BigInt(`0x1${randomBytes(15).toString("hex")}`).toString(),
  );
  await db.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, name, identity, certificate,
                              spki_sha256, created_at, not_before, not_after)
    select ${realmId}::bigint, ${issuerId}::bigint, serial_number, gen_random_uuid(), 'infrastructure', 'bench', 'bench',
           decode(repeat('00', 700), 'hex'), sha256(serial_number::bytea), now(), now(), now() + interval '1 year'
      from unnest(${serialNumbers}::text[]) as s (serial_number)
  `);
  return { issuerId, issuer, serialNumbers };
}
