import type { DirectoryRules } from "../../../domain/people/directory-attributes.ts";
import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/**
 * Returns a realm's rules about who may use it and about VLANs, and the SCIM attributes that stand for the claims of
 * the rules.
 */
export const find = async (db: Db, { realmId }: { realmId: string }): Promise<DirectoryRules> =>
  only(
    await db.query<DirectoryRules>(sql`
      select scim_attributes as attributes, coalesce(upstream_claims -> 'mayUse', '[]') as "mayUse",
             vlan_rules as "vlanRules"
        from realms where id = ${realmId}
    `),
  );
