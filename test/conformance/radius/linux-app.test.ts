import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { linux } from "../../support/apps/linux.ts";
import {
  linuxAppSettings,
  networkManagerTools,
  settingsIn,
  startNetworkManager,
  supplicantNetwork,
  type NetworkManager,
} from "../../support/apps/network-manager.ts";
import {
  authenticateWith,
  describeWithRadius,
  radiusServerName,
  type RadiusServer,
} from "../../support/counterparts/radius.ts";
import { startServiceWithRadius, type ServiceWithRadius } from "../../support/counterparts/radius-service.ts";
import { givenUser } from "../../support/given/issuing.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { eventually } from "../../support/run/eventually.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import type { RunningService } from "../../support/service/service.ts";

/** The Linux app makes NetworkManager store a connection from a file, and the device connects with this connection. */

describeWithTool(networkManagerTools, "the Linux app", () => {
  describeWithRadius("with NetworkManager and FreeRADIUS", () => {
    let service: RunningService;
    let radius: RadiusServer;
    let networkManager: NetworkManager;
    let domain: string;
    let ask: ServiceWithRadius["ask"];
    let directory: string;

    beforeAll(async () => {
      ({ service, radius, domain, ask } = await startServiceWithRadius());
      await service.owner.query(sql`
        update realms set radius_cn = ${radiusServerName}, ssids = '{eduroam}', offboarding_share_percent = 100
         where id = ${service.realmId}
      `);
      networkManager = await startNetworkManager();
      directory = await mkdtemp(join(tmpdir(), "realmpass-linux-app-"));
    });
    afterAll(async () => {
      await radius.stop();
      await rm(directory, { recursive: true, force: true });
    });

    test("stores a connection with which the device is admitted until its profile is revoked", async () => {
      const user = await givenUser(service.owner, service.realmId);
      const { serial, data } = (await ask("POST", `/api/user/${user}/profiles/laptop`, {
        format: "eap-config",
        deviceType: "Linux",
      })) as { serial: string; data: string };
      const settings = await linuxAppSettings(linux.read(Buffer.from(data, "base64"), systemClock.now()), directory);
      const stored = await networkManager.add(settings);

      expect(settingsIn(stored, "wifi")).toMatchObject({ ssid: "eduroam" });
      expect(settingsIn(stored, "802-1x")).toEqual({
        eap: "tls;",
        identity: `@${domain}`,
        "ca-path": join(directory, "ca"),
        "altsubject-matches": `DNS:${radiusServerName};`,
        "client-cert": join(directory, "client-cert.pem"),
        "private-key": join(directory, "private-key.pem"),
        "private-key-password": "made by the app",
      });
      // nmcli checks the stored file and preserves all of its settings.
      const change = ["--offline", "connection", "modify", "connection.autoconnect-priority", "1"];
      const again = spawnSync(requireTool("nmcli"), change, { input: stored, encoding: "utf8" });
      expect({ status: again.status, stderr: again.stderr }).toEqual({ status: 0, stderr: "" });
      for (const group of ["wifi", "wifi-security", "802-1x"])
        expect(settingsIn(again.stdout, group)).toEqual(settingsIn(stored, group));

      const comes = (network: string) => authenticateWith({ radius, network });
      const network = supplicantNetwork(stored);
      const first = await comes(network);
      expect(first, first.complaints).toMatchObject({ admitted: true });

      // The device rejects a server with another name or another CA.
      const otherName = await comes(network.replace(`DNS:${radiusServerName}`, "DNS:radius.other.example"));
      expect(otherName.admitted).toBe(false);
      expect(otherName.output).toContain("AltSubject mismatch");
      await writeFile(join(directory, "other.pem"), anotherRoot());
      const otherCa = await comes(network.replace(/ca_path=.*/, `ca_cert="${join(directory, "other.pem")}"`));
      expect(otherCa.admitted).toBe(false);
      expect((await comes(network)).admitted).toBe(true);

      await ask("DELETE", "/api/profiles/bulk", { profiles: [serial] });
      await eventually(async () => {
        expect((await comes(network)).admitted).toBe(false);
      });
    });
  });
});

const anotherRoot = (): string =>
  openssl([
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", "other.key", "-subj", "/CN=Another Root", "-days", "3"],
  ]).stdout;
