import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { describeWithRadius, type DeviceFiles } from "../../support/counterparts/radius.ts";
import { startServiceWithRadius, type ServiceWithRadius } from "../../support/counterparts/radius-service.ts";
import { givenUser } from "../../support/given/issuing.ts";
import { eventually } from "../../support/run/eventually.ts";
import type { RunningService } from "../../support/service/service.ts";

/** The help desk's view while real devices connect to a real RADIUS server that uses OCSP. */

interface Profile {
  userId: string;
  serial: string;
  files: DeviceFiles;
}

interface ActivityAnswer {
  code: string;
  text: string;
  lastCheck: { at: string; result: string } | null;
  servers: number;
}

describeWithRadius("with FreeRADIUS, the help desk sees", () => {
  let started: ServiceWithRadius;
  let service: RunningService;
  /** The answer about a device before any server asked about one. */
  let early: ActivityAnswer;

  beforeAll(async () => {
    started = await startServiceWithRadius();
    ({ service } = started);
    early = await answerAbout(await issue());
  });
  afterAll(() => started.radius.stop());
  const ask: ServiceWithRadius["ask"] = (...request) => started.ask(...request);

  async function issue(): Promise<Profile> {
    const userId = await givenUser(service.owner, service.realmId);
    const wanted = { format: "pkcs12", deviceType: "Windows" };
    const made = (await ask("POST", `/api/user/${userId}/profiles/laptop`, wanted)) as { serial: string; data: string };
    return { userId, serial: made.serial, files: { pkcs12: Buffer.from(made.data, "base64") } };
  }

  /** How many logins the server admitted and refused. */
  const tried = { good: 0, refused: 0 };
  const comes = async ({ files }: Profile): Promise<boolean> => {
    const admitted = await started.admits(files);
    tried[admitted ? "good" : "refused"] += 1;
    return admitted;
  };

  async function answerAbout({ serial }: Profile): Promise<ActivityAnswer> {
    const data = (await ask("GET", `/api/profiles/${serial}/activity`)) as {
      diagnosis: { code: string; text: string };
      lastCheck: ActivityAnswer["lastCheck"];
      realmChecks: { servers: number };
    };
    const { diagnosis, lastCheck, realmChecks } = data;
    return { code: diagnosis.code, text: diagnosis.text, lastCheck, servers: realmChecks.servers };
  }

  test("that no server asks, then that the device was never checked, then that its profile is good", async () => {
    expect(early).toMatchObject({ code: "nobody_asks", lastCheck: null, servers: 0 });
    const [first, second] = [await issue(), await issue()];

    expect(await comes(second)).toBe(true);

    // After a server has checked one device, the service assumes that the server checks every device.
    await eventually(async () => {
      expect(await answerAbout(first)).toMatchObject({ code: "never_asked", lastCheck: null, servers: 1 });
    });
    await eventually(async () => {
      expect(await answerAbout(second)).toMatchObject({
        code: "good",
        text: expect.stringMatching(/^The certificate was good on /),
        lastCheck: { result: "good" },
      });
    });
    expect(await comes(first)).toBe(true);
    await eventually(async () => {
      expect(await answerAbout(first)).toMatchObject({ code: "good" });
    });
  });

  test("that a revoked device has not tried to log in, then that the server refused it", async () => {
    const profile = await issue();
    expect(await comes(profile)).toBe(true);
    await eventually(async () => {
      expect(await answerAbout(profile)).toMatchObject({ code: "good" });
    });

    await ask("DELETE", `/api/profiles/${profile.serial}`, { reason: 1 });
    expect(await answerAbout(profile)).toMatchObject({
      code: "revoked",
      text: expect.stringMatching(/^Revoked by the application .* No attempt seen since\.$/),
    });

    // The last recorded good check is less than a minute old; the service nevertheless records the first refusal.
    await eventually(async () => {
      expect(await comes(profile)).toBe(false);
    });
    await eventually(async () => {
      expect(await answerAbout(profile)).toMatchObject({
        code: "revoked_tried",
        text: expect.stringMatching(/^Revoked by the application .*; the device tried on .* and was refused\.$/),
        lastCheck: { result: "revoked" },
      });
    });
  });

  test("every login, every refusal and the server's last request on the dashboard", async () => {
    const profile = await issue();
    expect(await comes(profile)).toBe(true);
    await ask("DELETE", `/api/profiles/${profile.serial}`);
    await eventually(async () => {
      expect(await comes(profile)).toBe(false);
    });
    // Responders add their counts once a minute.
    await eventually(
      async () => {
        const { hours, servers } = (await ask("GET", "/api/overview/radius")) as {
          hours: { good: number; refused: number }[];
          servers: { address: string; good: number; refused: number; lastAt: string }[];
        };
        const sum = (of: "good" | "refused") => hours.reduce((total, hour) => total + hour[of], 0);
        expect({ good: sum("good"), refused: sum("refused") }).toEqual(tried);
        expect(servers).toEqual([
          { address: "127.0.0.1", isServer: true, ...tried, lastAt: expect.any(String) as string },
        ]);
      },
      { withinMs: 90_000 },
    );
  });

  test("that a device still gets in while its user is locked or in a grace period", async () => {
    const [locked, leaving] = [await issue(), await issue()];
    await ask("PUT", `/api/user/${locked.userId}/status`, { locked: true });
    await ask("DELETE", `/api/user/${leaving.userId}`, { graceDays: 7 });
    for (const profile of [locked, leaving]) {
      expect(await comes(profile)).toBe(true);
      await eventually(async () => {
        expect(await answerAbout(profile)).toMatchObject({ code: "good" });
      });
    }
  });

  test("that a profile has expired, even after a good check", async () => {
    const profile = await issue();
    expect(await comes(profile)).toBe(true);
    await eventually(async () => {
      expect(await answerAbout(profile)).toMatchObject({ code: "good" });
    });
    await service.owner.query(sql`
      update certificates set not_after = ${systemClock.now()} where serial_number = ${profile.serial}
    `);
    expect(await answerAbout(profile)).toMatchObject({ code: "expired" });
  });
});
