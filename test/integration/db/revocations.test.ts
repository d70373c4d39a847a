import { describe, expect, test } from "vitest";
import * as guestAccountOperations from "../../../db/operations/guest-accounts.ts";
import * as revocations from "../../../db/operations/revocations.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { auditOf } from "../../support/given/audit.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);

const revocation = { reason: revocationReasons.unspecified, actor: operatorActor, kind: "user" } as const;

/** Makes a realm with a user's profiles. */
async function givenProfiles(count: number): Promise<{ realmId: string; serials: string[] }> {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const serials: string[] = [];
  while (serials.length < count) serials.push(await given.profile(user));
  return { realmId, serials };
}

describe("the caller gets the outcome of a revocation", () => {
  test("of one profile", async () => {
    const { realmId, serials } = await givenProfiles(1);
    const [serialNumber = ""] = serials;
    const revoke = (inRealm: string) =>
      database.owner.transaction((tx) =>
        revocations.revoke(tx, { ...revocation, realmId: inRealm, serialNumber, at: fromNow(0) }),
      );

    expect(await revoke(await given.realm())).toBe("not_found");
    expect(await revoke(realmId)).toBe("revoked");
    expect(await revoke(realmId)).toBe("already_revoked");
    expect(await auditOf(database, "serial", serialNumber)).toHaveLength(1);
  });

  test("of several profiles, which are revoked together or not at all", async () => {
    const { realmId, serials } = await givenProfiles(2);
    const revoke = (serialNumbers: readonly string[]) =>
      database.owner.transaction((tx) =>
        revocations.revokeMany(tx, { ...revocation, realmId, serialNumbers, at: fromNow(0) }),
      );

    expect(await revoke([...serials, "17"])).toEqual({ outcome: "not_found", serialNumber: "17" });
    expect(await revoke(serials.slice(0, 1))).toEqual({ outcome: "done", revoked: 1 });
    expect(await revoke(serials)).toEqual({ outcome: "done", revoked: 1 });
    expect(await revoke(serials)).toEqual({ outcome: "done", revoked: 0 });
    for (const serialNumber of serials) {
      expect(await auditOf(database, "serial", serialNumber)).toHaveLength(1);
    }
  });

  test("of a guest account", async () => {
    const realmId = await given.realm();
    const { id: guestAccountId } = await given.guestAccount({ realmId });
    const revoke = (inRealm: string) =>
      database.owner.transaction((tx) =>
        guestAccountOperations.revoke(tx, { ...revocation, realmId: inRealm, guestAccountId, at: fromNow(0) }),
      );

    expect(await revoke(await given.realm())).toEqual({ outcome: "not_found" });
    expect(await revoke(realmId)).toEqual({ outcome: "revoked", profiles: 0 });
    expect(await revoke(realmId)).toEqual({ outcome: "already_revoked" });
    expect(await auditOf(database, "guestAccountID", guestAccountId)).toHaveLength(1);
  });
});
