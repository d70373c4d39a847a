import { randomBytes, randomUUID } from "node:crypto";
import * as authorizations from "../../../../db/queries/issuance/app-authorizations.ts";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { appsPath } from "../../../../domain/onboarding-apps.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { drawSecretToken } from "../../../../runtime/keys/secret-token.ts";
import { figureOf } from "../../figures.ts";
import { addUsers, type Service } from "../../service.ts";
import { figure, percentile } from "../../statistics.ts";
import { onboardingFile, sendJob } from "../jobs.ts";
import { backendNames, type Scenario } from "../scenario.ts";
import { checkCertificates } from "./profiles.ts";

const rows = 20_000;
const files = 200;
/** How many devices are set up at the same time. */
const together = 4;
const waitMsMax = 7_000;

/**
 * Measures files that the geteduroam apps fetch while a bulk job runs: an app gives up after 8 s, and does not retry.
 */
export const apps: Scenario = {
  title: "Files of the apps beside a bulk job",
  about: `${files} devices, ${together} at a time, fetch a profile with an app's token: alone, then while the realm onboards ${rows.toLocaleString("en-GB")} people with a profile each. A file that is not ready within ${waitMsMax / 1000} s is answered 503.`,
  columns: ["queue", "what", "files", "p50 ms", "p99 ms", "max ms", "late", "goal"],
  keptOnly: { columns: ["files", "max ms"] },
  env: () => ({}),

  async run(run) {
    const { service, quick } = run;
    const { db, realmId } = service;
    await realms.update(db, realmId, { onboardingApps: true });
    const people = rows / (quick ? 10 : 1);

    // Does not count the first files: for them the service opens keys and prepares statements.
    await fetchFiles(service, await drawTokens(service, together));
    const alone = await fetchFiles(service, await drawTokens(service, files));
    const tokens = await drawTokens(service, files);
    const { ended } = await sendJob(service, onboardingFile(people, { profiles: true }));
    const job = { isRunning: true };
    const whole = ended.finally(() => {
      job.isRunning = false;
    });
    const beside = await fetchFiles(service, tokens);
    const wasRunning = job.isRunning;
    const { ended: jobSeconds } = await whole;
    await checkCertificates(run, together + 2 * files + people);

    const name = backendNames[service.backend];
    const cells = (what: string, { ms, late }: Fetched, goal: string): string[] => [
      ...[name, what, String(files)],
      ...[percentile(ms, 0.5), percentile(ms, 0.99), ms.at(-1) ?? Number.NaN].map(figure),
      ...[String(late), goal],
    ];
    return {
      rows: [
        cells("alone", alone, ""),
        cells("beside the job", beside, `p99 ≤ ${waitMsMax.toLocaleString("en-GB")}, none late`),
      ],
      figures: [
        figureOf("files alone", "p99 ms", [alone], ({ ms }) => percentile(ms, 0.99)),
        figureOf("files beside the job", "p99 ms", [beside], ({ ms }) => percentile(ms, 0.99)),
      ],
      remark: `${name}: the job of ${people.toLocaleString("en-GB")} took ${figure(jobSeconds)} s, and ${wasRunning ? "ended after the last file" : "**ended before the last file**"}.`,
    };
  },
};

/**
 * Authorizes an app for one device of each person, as the person's taps and the app's token requests would. Returns the
 * tokens.
 */
async function drawTokens(service: Service, count: number): Promise<string[]> {
  const { db, realmId } = service;
  const at = systemClock.now();
  const users = await addUsers(service, count);
  return Promise.all(
    users.map(async (userId) => {
      const id = randomUUID();
      await authorizations.create(db, {
        ...{ id, realmId, userId, at, app: "app.geteduroam.win", redirectUri: "http://[::1]:50000/", name: "laptop" },
        ...{
          codeHash: randomBytes(32),
          codeChallenge: randomBytes(32).toString("base64url"),
          codeExpiresAt: at,
          deviceHash: randomBytes(32),
        },
        ...{ deviceType: "Windows", renewsSerialNumber: null },
      });
      const { token, hash } = drawSecretToken("appToken");
      await authorizations.useCode(db, { id, tokenHash: hash, at });
      return token;
    }),
  );
}

/** How long files took, sorted, and how many were late. */
interface Fetched {
  ms: number[];
  late: number;
}

/** Fetches a file for each token; requests a late file again afterwards, outside the measurement. */
async function fetchFiles({ db, port, realmId }: Service, tokens: readonly string[]): Promise<Fetched> {
  const name = (await realms.findById(db, realmId))?.name ?? "";
  const post = (token: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${appsPath(name)}api/eap-config/`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
  const ms: number[] = [];
  const late: string[] = [];
  const waiting = [...tokens];
  const device = async (): Promise<void> => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const startedAt = performance.now();
      const answer = await post(token);
      const body = await answer.text();
      ms.push(performance.now() - startedAt);
      if (answer.status === 503) late.push(token);
      else if (answer.status !== 200 || !body.includes("<EAPIdentityProviderList"))
        throw new Error(`a file was answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: together }, device));
  for (const token of late) while ((await post(token)).status === 503);
  return { ms: ms.toSorted((a, b) => a - b), late: late.length };
}
