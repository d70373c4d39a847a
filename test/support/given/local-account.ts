import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { sql } from "../../../db/sql.ts";
import { hashPassword } from "../../../operator/user/password.ts";
import type { TestApi } from "../service/api.ts";
import type { GivenUser } from "./given.ts";

export const testPassword = "correct horse battery staple";
/** The lowest cost that argon2id accepts: the cost of an attempt is not under test here. */
export const testPasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const testPasswordHash = hashPassword(testPassword, { cost: testPasswordCost });

export interface LocalAccount extends GivenUser {
  username: string;
}

/**
 * Makes a user with a name to sign in with, and {@link testPassword} if `password` is true; without it the user has to
 * follow a link. Switches local sign-in on. Another user with this name loses it, so a retried test can make its
 * accounts again.
 */
export async function givenLocalAccount(
  api: Pick<TestApi, "database" | "given" | "realmId">,
  {
    username,
    realmId = api.realmId,
    password = true,
    ...user
  }: { username: string; realmId?: string; password?: boolean } & Partial<Parameters<TestApi["given"]["user"]>[0]>,
): Promise<LocalAccount> {
  const { owner } = api.database;
  const { id } = await api.given.user({ realmId, ...user });
  const passwordHash = password ? await testPasswordHash : null;
  await owner.query(sql`delete from local_credentials where realm_id = ${realmId} and username = ${username}`);
  await localCredentials.create(owner, { userId: id, realmId, username, passwordHash });
  await realms.update(owner, realmId, { localSignIn: true });
  return { id, realmId, username };
}
