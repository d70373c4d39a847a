import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Registry } from "prom-client";
import { beforeAll, expect, test } from "vitest";
import * as revocations from "../../../db/operations/revocations.ts";
import { sql } from "../../../db/sql.ts";
import { startAccessPoint, type AccessPoint, type Session } from "../../support/counterparts/access-points.ts";
import {
  debianConfiguration,
  describeWithRadius,
  edit,
  freeUdpPorts,
  secret,
  startRadius,
  type RadiusServer,
} from "../../support/counterparts/radius.ts";
import { fromNow } from "../../support/given/given.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { atEnd, atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { shellBlocks } from "../../support/run/shell-blocks.ts";
import { startTcpProxy, type TcpProxy } from "../../support/run/tcp-proxy.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";

/** docs/radius/disconnect: from a revocation to the Disconnect-Request at the device's access point. */

const page = resolve("docs/radius/disconnect.md");
const script = resolve("docs/radius/disconnect/realmpass-disconnect");

describeWithTool(["radclient", "sqlite3", "dash"], "with radclient", () => {
  describeWithRadius("realmpass-disconnect", () => {
    const registry = new Registry();
    const api = useApi({ registry });
    let radius: RadiusServer;
    let disconnectPort: number;
    let sessionsFile: string;
    let accessPoints: [AccessPoint, AccessPoint];
    /** The proxy between the script and the API. */
    let network: TcpProxy;
    let directory: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "realmpass-disconnect-"));
      atEndOfFile(() => rm(directory, { recursive: true, force: true }));
      [disconnectPort] = await freeUdpPorts();
      const key = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]).stdout;
      const server = openssl(["req", "-new", "-x509", "-key", "key", "-days", "30", "-subj", "/CN=radius"], {
        key,
      }).stdout;
      radius = await startRadius({
        mode: "strict",
        realmDomain: "devices.example",
        server,
        key,
        issuers: server,
        quiet: true,
        also: install,
      });
      atEndOfFile(() => radius.stop());
      accessPoints = [
        await startAccessPoint("127.0.0.2", disconnectPort),
        await startAccessPoint("127.0.0.3", disconnectPort),
      ];
      network = await startTcpProxy({ host: "127.0.0.1", port: Number(new URL(api.url).port) });
    });

    /** Installs the script by the commands of the page, with the access points of this test. */
    async function install({ configuration, directory: home }: { configuration: string; directory: string }) {
      const [commands = ""] = await shellBlocks(page, "On the RADIUS server");
      const script = commands
        .replaceAll(debianConfiguration, configuration)
        .replaceAll("/root/radius", resolve("docs/radius"))
        .replaceAll("-o freerad -g freerad ", "")
        .replaceAll("/var/lib/realmpass-sessions", `${home}/sessions`);
      const { status, stderr } = spawnSync("bash", ["-e", "-u", "-c", script], { encoding: "utf8" });
      if (status !== 0) throw new Error(`the commands of ${page} failed: ${stderr}`);
      await edit(join(configuration, "clients.conf"), [["192.0.2.0/24", "127.0.0.0/24"]]);
      const module = join(configuration, "mods-available/realmpass_sessions");
      await edit(module, [["/var/lib/realmpass-sessions", `${home}/sessions`]]);
      sessionsFile = join(home, "sessions/sessions.db");
    }

    interface Script {
      state: string;
      output(): string;
      ended: Promise<number | null>;
      signal(name: NodeJS.Signals): void;
    }

    /** Starts the script under dash, as its systemd unit does, with the given state directory or a new one. */
    async function start({
      state,
      url = `http://127.0.0.1:${network.port}`,
      client,
      points = [secret, secret],
      from = sessionsFile,
    }: {
      state?: string;
      url?: string;
      client?: string;
      points?: readonly string[];
      from?: string;
    } = {}): Promise<Script> {
      // Waits until all scripts of earlier tests have disconnected.
      await eventually(async () => {
        expect(await waiting()).toBe(0);
      });
      const own = state ?? (await mkdtemp(join(directory, "state-")));
      const files = await mkdtemp(join(directory, "files-"));
      await writeFile(join(files, "client"), `${client ?? (await givenClient())}\n`);
      await mkdir(join(files, "access-points"));
      for (const [index, text] of points.entries()) {
        await writeFile(join(files, "access-points", accessPoints[index]?.address ?? ""), `${text}\n`);
      }
      const child = spawn(
        requireTool("dash"),
        [script, url, join(files, "client"), from, join(files, "access-points"), own],
        // In its own process group, so a signal also reaches curl and radclient, as systemd's signals do.
        {
          env: { PATH: process.env["PATH"], PORT: String(disconnectPort) },
          stdio: ["ignore", "pipe", "pipe"],
          detached: true,
        },
      );
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const ended = new Promise<number | null>((done) => child.once("close", done));
      atEnd(() => {
        stopGroup(child, "SIGKILL");
      });
      return {
        state: own,
        output: () => output,
        ended,
        signal: (name) => {
          stopGroup(child, name);
        },
      };
    }

    function stopGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
      try {
        if (pid !== undefined) process.kill(-pid, name);
      } catch {
        // The process ended before the signal.
      }
    }

    async function givenClient(): Promise<string> {
      const { clientId, secret: clientSecret } = await api.given.application({
        realmId: api.realmId,
        scopes: ["radius.read"],
      });
      return `${clientId}:${clientSecret}`;
    }

    const waiting = async (): Promise<number> =>
      (await registry.getSingleMetric("realmpass_revoked_feed_waiting")?.get())?.values[0]?.value ?? 0;

    /** Resolves when the script is waiting for revocations. */
    const isWaiting = () =>
      eventually(async () => {
        expect(await waiting()).toBe(1);
      });

    /** Makes people with a profile each; returns the identities. */
    async function givenPeople(count: number): Promise<{ userId: string; identity: string }[]> {
      const name = randomBytes(5)
        .toString("hex")
        .replaceAll(/[0189]/g, "x");
      return api.database.owner.query<{ userId: string; identity: string }>(sql`
        with people as (
          insert into users (realm_id, pairwise_id, email, created_at)
          select ${api.realmId}, ${name} || n, '', now() from generate_series(1, ${count}) n
          returning id, pairwise_id
        )
        insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                                  identity, certificate, spki_sha256, created_at, not_before, not_after)
        select ${api.realmId}, i.id, (('x' || substr(md5(p.pairwise_id), 1, 15))::bit(60)::bigint + 1)::text, gen_random_uuid(),
               'user', p.id, 'laptop', 'Linux', p.pairwise_id || '@devices.example', 'x', sha256(p.pairwise_id::bytea), now(),
               now(), now() + interval '1 year'
          from people p, issuers i
         where i.realm_id = ${api.realmId}
        returning user_id as "userId", identity
      `);
    }

    const revoke = (identities: readonly string[]) =>
      api.database.owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, clock_timestamp(), 0 from certificates where identity = any(${identities}::text[])
      `);

    let sessions = 0;
    const sessionOf = (userName: string): Session => ({ userName, session: `session-${++sessions}` });

    const account = (point: AccessPoint, which: readonly Session[], status?: "start" | "stop") =>
      point.account(radius.accountingPort, which, status);

    const sorted = (asked: readonly Pick<Session, "userName" | "session">[]): string[] =>
      asked.map(({ userName, session }) => `${userName} ${session}`).sort();

    /**
     * Returns the Disconnect-Requests for these names that an access point received. A starting script also sends the
     * revocations of the last minute; the names filter them out.
     */
    const askedAbout = (point: AccessPoint, names: readonly string[]) => (): string[] =>
      sorted(point.disconnected().filter(({ userName }) => names.includes(userName)));

    test("disconnects only the sessions of 1,000 profiles revoked together, each at its access point", async () => {
      const people = await givenPeople(1_040);
      const revoked = people.slice(0, 1_000).map(({ identity }) => identity);
      const others = people.slice(1_000).map(({ identity }) => identity);
      const [first, second] = accessPoints;
      // The first hundred sessions have ended; another hundred names have sessions at both access points.
      const atFirst = revoked.slice(100, 600).map(sessionOf);
      const atSecond = revoked.slice(500, 1_000).map(sessionOf);
      const gone = revoked.slice(0, 100).map(sessionOf);
      await account(first, [...gone, ...atFirst, ...others.map(sessionOf)]);
      await account(second, [...atSecond, ...others.map(sessionOf)]);
      await account(first, gone, "stop");
      const askedOfFirst = askedAbout(first, [...revoked, ...others]);
      const askedOfSecond = askedAbout(second, [...revoked, ...others]);
      const running = await start();
      await isWaiting();

      await revoke(revoked);

      await eventually(() => {
        expect([askedOfFirst().length, askedOfSecond().length], running.output()).toEqual([500, 500]);
      });
      expect(askedOfFirst()).toEqual(sorted(atFirst));
      expect(askedOfSecond()).toEqual(sorted(atSecond));
    });

    test("disconnects 500 people who lose their access at the same time", async () => {
      const people = await givenPeople(500);
      const [first] = accessPoints;
      const there = people.map(({ identity }) => sessionOf(identity));
      await account(first, there);
      const asked = askedAbout(
        first,
        people.map(({ identity }) => identity),
      );
      const running = await start();
      await isWaiting();

      await api.database.owner.transaction((tx) =>
        revocations.revokeAllOfUsers(tx, {
          realmId: api.realmId,
          userIds: people.map(({ userId }) => userId),
          reason: 5,
          at: fromNow(0),
        }),
      );

      await eventually(() => {
        expect(asked().length, running.output()).toBe(500);
      });
      expect(asked()).toEqual(sorted(there));
    });

    test("disconnects every revoked device even if the service is away or the script is killed", async () => {
      const people = await givenPeople(60);
      const [, second] = accessPoints;
      const there = people.map(({ identity }) => sessionOf(identity));
      const identities = people.map(({ identity }) => identity);
      await account(second, there);
      const asked = askedAbout(second, identities);
      const running = await start();
      await isWaiting();
      await revoke(identities.slice(0, 20));
      await eventually(() => {
        expect(asked().length).toBe(20);
      });

      await network.cut();
      await revoke(identities.slice(20, 40));
      await eventually(() => {
        expect(running.output()).toContain("trying again");
      });
      running.signal("SIGKILL");
      await running.ended;
      await revoke(identities.slice(40));
      await network.restore();
      const again = await start({ state: running.state });

      await eventually(() => {
        expect(asked().length, again.output()).toBe(60);
      });
      expect(asked()).toEqual(sorted(there));
    });

    test("disconnects only sessions of the revoked name, whatever an access point reports", async () => {
      const [first, second] = accessPoints;
      const [target, bystander] = await givenPeople(2);
      const hostile = [
        `'; DELETE FROM sessions; --`,
        `" or 1=1 #|1#127.0.0.3#00`,
        `%{realmpass_sessions:DELETE FROM sessions}`,
        'line\r\nUser-Name = "x"\n\n\tAcct-Session-Id = 1',
        "back\\slash \\n \\' `id` $(id) ${id} {}",
        "\u0000\u0001\u00ff%00%n%s",
      ];
      const odd = hostile.map((session) => ({ userName: target!.identity, session, nasIdentifier: session }));
      const named = hostile.map((userName) => ({ ...sessionOf(userName), nasIdentifier: userName }));
      const like = [`${target!.identity}'`, `%`, `${target!.identity.slice(0, -1)}_`, target!.identity.toUpperCase()];
      await account(first, [...odd, ...named, ...like.map(sessionOf)]);
      await account(second, [sessionOf(bystander!.identity)]);
      const names = [target!.identity, bystander!.identity, ...hostile, ...like];
      const asked = askedAbout(first, names);
      const askedOfSecond = askedAbout(second, names);
      const running = await start();
      await isWaiting();

      await revoke([target!.identity]);
      await eventually(() => {
        expect(asked().length, running.output()).toBe(hostile.length);
      });
      expect(asked()).toEqual(sorted(odd));
      expect(askedOfSecond()).toEqual([]);

      // The script still finds the sessions of other devices.
      await revoke([bystander!.identity]);
      await eventually(() => {
        expect(askedOfSecond()).toHaveLength(1);
      });
      expect(asked()).toHaveLength(hostile.length);
    });

    test("sends only valid names to access points, even if a fake service returns others", async () => {
      const [person] = await givenPeople(1);
      const [first] = accessPoints;
      await account(first, [sessionOf(person!.identity)]);
      const asked = askedAbout(first, [person!.identity]);
      const lines = [
        `x", Acct-Session-Id = "1`,
        `$(touch ${directory}/run)`,
        "`id`",
        "a b",
        "%{User-Name}",
        person!.identity,
      ];
      const server = createServer((request, response) => {
        if (request.method === "POST") {
          response.setHeader("Content-Type", "application/json");
          response.end(`{"access_token":"t","token_type":"Bearer"}`);
          return;
        }
        response.setHeader("X-Until", fromNow(0).toISOString());
        response.end(
          lines
            .splice(0)
            .map((line) => `${line}\t2026-01-01T00:00:00.000Z\n`)
            .join(""),
        );
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      atEnd(() => server.close());
      const running = await start({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      await eventually(() => {
        expect(asked()).toHaveLength(1);
      });
      await eventually(() => {
        expect(running.output()).toContain(": 1 revoked profiles, 1 sessions");
      });
      await expect(stat(join(directory, "run"))).rejects.toThrow("ENOENT");
    });

    test("exits with 0 when it is stopped", async () => {
      const running = await start();
      await isWaiting();
      running.signal("SIGTERM");
      expect(await running.ended).toBe(0);
    });

    test("exits with 2 for wrong arguments", () => {
      expect(spawnSync(requireTool("dash"), [script]).status).toBe(2);
      expect(
        spawnSync(requireTool("dash"), [script, api.url, "/nowhere", sessionsFile, directory, directory]).status,
      ).toBe(2);
    });

    test("exits with 3 for a wrong secret, and for an application without the scope", async () => {
      const [id] = (await givenClient()).split(":");
      expect(await (await start({ client: `${id}:wrong` })).ended).toBe(3);
      const other = await api.given.application({ realmId: api.realmId });
      expect(await (await start({ client: `${other.clientId}:${other.secret}` })).ended).toBe(3);
    });

    test("exits with 4 if it cannot read the sessions, and sends the missed revocations at the next run", async () => {
      const [person] = await givenPeople(1);
      const [first] = accessPoints;
      await account(first, [sessionOf(person!.identity)]);
      const asked = askedAbout(first, [person!.identity]);
      await revoke([person!.identity]);
      const running = await start({ from: join(directory, "nothing.db") });
      expect(await running.ended, running.output()).toBe(4);
      expect(asked()).toEqual([]);

      await start({ state: running.state });
      await eventually(() => {
        expect(asked()).toHaveLength(1);
      });
    });

    test("logs each access point that does not answer or has no file, with the number of its remaining sessions", async () => {
      const [person] = await givenPeople(1);
      const [first, second] = accessPoints;
      await account(first, [sessionOf(person!.identity)]);
      await account(second, [sessionOf(person!.identity)]);
      const asked = askedAbout(second, [person!.identity]);
      const running = await start({ points: ["another secret"] });
      await isWaiting();
      await revoke([person!.identity]);
      await eventually(() => {
        expect(running.output()).toMatch(
          /127\.0\.0\.2: (?:of \d+ sessions disconnected 0, refused 0, no answer|\d+ sessions, not all answered) /,
        );
        expect(running.output()).toMatch(/127\.0\.0\.3: not among the access points, \d+ sessions stay/);
      });
      expect(asked()).toEqual([]);
    });
  });
});
