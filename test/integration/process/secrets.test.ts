import { expect, test } from "vitest";
import * as installationSecrets from "../../../db/queries/secrets/installation-secrets.ts";
import { sql } from "../../../db/sql.ts";
import { processSecrets } from "../../../process/secrets.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSecret } from "../../../runtime/keys/data-directory.ts";
import { heldMasterKey } from "../../../runtime/keys/held-secret.ts";
import { masterKeys } from "../../../runtime/keys/master-key.ts";
import { useDatabase } from "../../support/run/database.ts";
import { silentLog } from "../../support/service/worker.ts";

const database = useDatabase();

test("a process detects that the installation no longer has its secret", async () => {
  const [old, fresh] = [drawSecret.masterKey(), drawSecret.masterKey()];
  const config = { REALMPASS_DATA_DIRECTORY: "none", REALMPASS_GENERATE_SECRETS: "0" } as const;
  const open = () => processSecrets({ db: database.open("realmpass_api"), config, clock: systemClock, log: silentLog });
  const [first, second] = [open(), open()];
  await first.requireMatching([heldMasterKey(masterKeys(old))]);
  await second.requireMatching([heldMasterKey(masterKeys(`${old},${fresh}`))]);
  expect(await first.findMismatches()).toEqual([]);

  await installationSecrets.add(database.owner, heldMasterKey(masterKeys(fresh)), { at: systemClock.now() });
  expect(await first.findMismatches()).toEqual([]);
  const [value] = heldMasterKey(masterKeys(old)).checkValues;
  await database.owner.query(sql`delete from installation_secrets where check_value = ${value}`);
  expect(await first.findMismatches()).toEqual(["REALMPASS_MASTER_KEY"]);
  expect(await second.findMismatches()).toEqual([]);
});
