import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { sql } from "../../db/sql.ts";
import { eventuallyIn } from "../support/given/bulk-jobs.ts";
import {
  askOverHttp,
  encodeCertId,
  encodeOcspRequest,
  nonceExtension,
  outcomeOf,
  type OcspHttpAnswer,
} from "../support/pki/ocsp.ts";
import { eventually } from "../support/run/eventually.ts";
import { faultTest, givenProfiles, givenUsers, hold } from "../support/service/fault.ts";
import type { Answer, RunningService } from "../support/service/service.ts";

const leavers = 1_200;
const withinMs = 60_000;
const ocspTest = faultTest("postgres");

function jobIdOf(answer: Answer): string {
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return (answer.body.data as { id: string }).id;
}

const offboard = async (service: RunningService, userIds: readonly string[], query = ""): Promise<string> =>
  jobIdOf(
    await service.call("POST", `/api/jobs/offboarding?confirmTotal=${userIds.length}${query}`, {
      users: userIds.map((userID) => ({ userID })),
    }),
  );

async function ask({ apiPort, issuerId, issuer }: RunningService, serialNumber: string): Promise<OcspHttpAnswer> {
  // With a nonce, the responder makes a new response for each request.
  const nonce = nonceExtension(randomBytes(16));
  const body = encodeOcspRequest([encodeCertId({ issuer, serialNumber })], [nonce]);
  return askOverHttp(`http://127.0.0.1:${apiPort}/ocsp/${issuerId}`, { body });
}

/** Requests the statuses of these devices in turn, without a pause, and keeps each status. */
function askAllTheWhile(service: RunningService, serials: readonly string[]) {
  const answers: (string | number)[] = [];
  const stopping = new AbortController();
  const asking = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const { status, body } = await ask(service, serials[turn % serials.length]!);
      answers.push(status === 200 ? outcomeOf(body) : `HTTP ${status}`);
    }
  })();
  const twice = 2 * serials.length;
  return {
    /**
     * Waits until every device's status has been requested after this call. Returns the statuses since the previous
     * call.
     */
    async heard(): Promise<Set<string | number>> {
      const from = answers.length;
      await eventually(
        () => {
          expect(answers.length).toBeGreaterThan(from + twice);
        },
        { withinMs },
      );
      return new Set(answers.splice(0));
    },
    async stop() {
      stopping.abort();
      await asking;
    },
  };
}

ocspTest(
  "OCSP returns good for every device before, during and after a grace period that is undone",
  async (service, context) => {
    const { owner } = service;
    await service.startResponder();
    const people = await givenUsers(service, leavers, "leaving");
    await givenProfiles(service, people, 1);
    const some = people.filter((_, index) => index % 60 === 0);
    const serials = (
      await owner.query<{ serial: string }>(sql`
      select serial_number as serial from certificates where user_id = any(${some}::bigint[]) order by user_id
    `)
    ).map(({ serial }) => serial);
    expect(serials).toHaveLength(some.length);
    await eventually(async () => {
      expect((await ask(service, serials[0]!)).status).toBe(200);
    });
    const devices = askAllTheWhile(service, serials);
    context.onTestFinished(() => devices.stop());
    const good = new Set(["good"]);
    expect(await devices.heard()).toEqual(good);

    const leaving = await offboard(service, people, "&graceDays=7");
    await eventuallyIn(owner, leaving, ["grace"], withinMs);
    expect(await devices.heard(), "in days of grace").toEqual(good);

    const letting = await hold(service, sql`select from users where id = ${people[700]!} for update`);
    const undo = jobIdOf(await service.call("POST", `/api/jobs/${leaving}/undo`, { confirmTotal: leavers }));
    await letting.reached("worker", "with people as materialized");
    expect(await devices.heard(), "while it is undone").toEqual(good);
    await letting.release();
    await eventuallyIn(owner, undo, ["completed"], withinMs);
    await eventuallyIn(owner, leaving, ["cancelled"], withinMs);
    expect(await devices.heard(), "once it is undone").toEqual(good);

    await owner.query(sql`update jobs set revoke_at = now() where id = ${leaving}`);
    expect(await devices.heard(), "when the days would have been over").toEqual(good);

    // Control: an offboarding that revokes does change the status of these devices, so the polling can detect a change.
    await eventuallyIn(owner, await offboard(service, people), ["completed"], withinMs);
    await devices.heard();
    expect(await devices.heard(), "offboarded at once").toEqual(new Set(["revoked"]));
  },
);
