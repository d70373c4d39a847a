import type { Role } from "../../../domain/people/roles.ts";
import { signInLinkMinutes } from "../../../domain/lifetimes.ts";
import { first, type Db } from "../../client.ts";
import { rolesOf } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** Stores a link by the SHA-256 of its token. */
export async function create(db: Db, link: { tokenHash: Uint8Array; userId: string; at: Date }): Promise<void> {
  await db.query(sql`
    insert into sign_in_links (token_hash, user_id, created_at, expires_at)
    values (${link.tokenHash}, ${link.userId}, ${link.at}, ${link.at}::timestamptz + make_interval(mins => ${signInLinkMinutes}))
  `);
}

/** The user whom a link would sign in. */
export interface UsableLink {
  realmId: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  username: string | null;
}

/** Returns a link that can still be used; undefined once it was used, has expired, or its user is offboarded. */
export async function findUsable(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<UsableLink | undefined> {
  return first(
    await db.query<UsableLink>(sql`
      select u.realm_id as "realmId", u.pairwise_id as "pairwiseId", u.email, u.display_name as "displayName", c.username
        from sign_in_links l
        join users u on u.id = l.user_id
        left join local_credentials c on c.user_id = u.id
       where l.token_hash = ${tokenHash}
         and l.consumed_at is null
         and l.expires_at > ${at}
         and u.offboarded_at is null
    `),
  );
}

/**
 * Uses up a link: of several concurrent attempts, one returns the user. Returns undefined for a used or expired link,
 * and for an offboarded user.
 */
export async function consume(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<{ userId: string; realmId: string; roles: Role[] } | undefined> {
  return first(
    await db.query<{ userId: string; realmId: string; roles: Role[] }>(sql`
      update sign_in_links l
         set consumed_at = ${at}
        from users u
       where l.token_hash = ${tokenHash}
         and l.consumed_at is null
         and l.expires_at > ${at}
         and u.id = l.user_id
         and u.offboarded_at is null
      returning u.id as "userId", u.realm_id as "realmId", ${rolesOf(sql`u`)} as roles
    `),
  );
}
