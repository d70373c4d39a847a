import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createAttemptCounter } from "../../../../../api/contract/attempt-counter.ts";
import { checkPassword } from "../../../../../api/browser/sign-in/local-sign-in.ts";
import { ServiceError } from "../../../../../domain/errors.ts";
import { useDatabase } from "../../../../support/run/database.ts";
import { givenRows } from "../../../../support/given/given.ts";
import { backendFor, silentLog } from "../../../../support/service/worker.ts";
import { sql } from "../../../../../db/sql.ts";

/** Only a wrong password counts: a response that does not depend on the password does not lock an account. */

const database = useDatabase();

test("failures of the service do not count as wrong passwords; after ten wrong ones even the right one is refused", async () => {
  const given = givenRows(() => database.owner);
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  await database.owner.query(sql`
    insert into local_credentials (user_id, realm_id, username, password_hash) values (${user.id}, ${realmId}, 'ada', 'hash')
  `);
  const { backend, close } = backendFor("postgres", database.url);
  const db = database.open("realmpass_api");
  const masterKeys = [createSecretKey(randomBytes(32))] as const;
  const attemptCounter = createAttemptCounter({ backend, db, masterKeys, log: silentLog });
  let failure: Error | undefined;
  const deps = {
    db,
    attemptCounter,
    isPassword: (password: string) => (failure ? Promise.reject(failure) : Promise.resolve(password === "right")),
  };
  const sign = (password: string) => checkPassword(deps, { realmId, username: "ada", password, address: "192.0.2.1" });

  for (failure of [new ServiceError("unavailable", { retryAfterSeconds: 5 }), new Error("a thread has died")]) {
    for (let index = 0; index < 12; index++) await expect(sign("right")).rejects.toThrow(failure);
  }
  failure = undefined;
  expect(await sign("right")).toMatchObject({ userId: user.id });
  for (let index = 0; index < 10; index++) expect(await sign("wrong")).toEqual({ reason: "wrong" });
  expect(await sign("right")).toMatchObject({ reason: "too_many" });
  await attemptCounter.close();
  await close();
});
