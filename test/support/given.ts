import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../../db/client.ts";
import * as accessTokens from "../../db/queries/access-tokens.ts";
import * as applications from "../../db/queries/applications.ts";
import * as realms from "../../db/queries/realms.ts";
import * as signInLinks from "../../db/queries/sign-in-links.ts";
import * as users from "../../db/queries/users.ts";
import { sql } from "../../db/sql.ts";
import type { DeviceType } from "../../domain/device.ts";
import type { ProfileKind } from "../../domain/profile.ts";
import { allScopes, scopesAllowedTo, type Scope } from "../../domain/scopes.ts";
import { systemClock } from "../../runtime/clock.ts";

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const unique = (): string => randomBytes(6).toString("hex");
const day = 24 * 60 * 60 * 1000;
const fromNow = (ms: number): Date => new Date(systemClock.now().getTime() + ms);

export interface GivenUser {
  id: string;
  realmId: string;
}

export interface GivenApplication {
  clientId: string;
  realmId: string;
  secret: string;
}

export interface GivenGuestAccount {
  id: string;
  realmId: string;
}

/** Rows that a test begins with: valid by default, override what matters. */
export function givenRows(owner: () => Database) {
  const given = {
    /** A realm with an issuer that signs nothing: its key is missing. */
    async realm({
      maxProfiles = 5,
      issuerEndsInDays = 3650,
    }: { maxProfiles?: number; issuerEndsInDays?: number | null } = {}): Promise<string> {
      const name = `realm-${unique()}`;
      const at = systemClock.now();
      const { id } = await realms.create(owner(), {
        name,
        displayName: name,
        domain: `${name}.example`,
        localSignIn: false,
        at,
      });
      await realms.update(owner(), id, { maxProfiles });
      if (issuerEndsInDays !== null) await given.issuer(id, issuerEndsInDays);
      return id;
    },

    async issuer(realmId: string, endsInDays = 3650): Promise<string> {
      const [row] = await owner().query<{ id: string }>(sql`
        insert into issuers (realm_id, certificate, fingerprint, subject, not_before, not_after, issuing, created_at)
        values (${realmId}, ${Buffer.from("not a certificate")}, ${randomBytes(32)}, 'CN=nobody', ${fromNow(-day)},
                ${fromNow(endsInDays * day)}, true, ${fromNow(0)})
        returning id
      `);
      return row?.id ?? "";
    },

    async user({
      realmId,
      administrator = false,
      lockedAt = null,
      offboardedAt = null,
      pairwiseId = `user-${unique()}`,
      email = "",
      profileOverride = 0,
      createdAt = systemClock.now(),
    }: {
      realmId: string;
      administrator?: boolean;
      lockedAt?: Date | null;
      offboardedAt?: Date | null;
      pairwiseId?: string;
      email?: string;
      profileOverride?: number;
      createdAt?: Date;
    }): Promise<GivenUser> {
      const id = await users.create(owner(), { realmId, pairwiseId, email, administrator, at: createdAt });
      await owner().query(sql`
        update users set locked_at = ${lockedAt}, offboarded_at = ${offboardedAt}, profile_override = ${profileOverride} where id = ${id}
      `);
      return { id, realmId };
    },

    /** A profile of a user, as a worker would have left it; answers its serial number. */
    async profile(
      user: GivenUser,
      {
        kind = "user",
        name = "laptop",
        deviceType = "Linux",
        createdAt = fromNow(-60_000),
        notAfter = fromNow(365 * day),
        authable = false,
        serialNumber = BigInt(`0x${randomBytes(15).toString("hex")}1`).toString(),
      }: {
        kind?: ProfileKind;
        name?: string;
        deviceType?: DeviceType;
        createdAt?: Date;
        notAfter?: Date;
        authable?: boolean;
        serialNumber?: string;
      } = {},
    ): Promise<string> {
      await owner().query(sql`
        insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                                  authable, identity, certificate, spki_sha256, created_at, not_before, not_after)
        select ${user.realmId}, i.id, ${serialNumber}, ${randomUUID()}, ${kind},
               ${kind === "user" ? user.id : null}, ${name}, ${deviceType}, ${authable}, ${`${unique()}@example.org`},
               ${Buffer.from("x")}, ${randomBytes(32)}, ${createdAt}, ${createdAt}, ${notAfter}
          from issuers i
         where i.realm_id = ${user.realmId}
      `);
      return serialNumber;
    },

    async application({
      realmId,
      type = "service",
      scopes = scopesAllowedTo(type),
      active = true,
      useClientSecret = type === "service",
    }: {
      realmId: string;
      type?: "service" | "useragent";
      scopes?: readonly Scope[];
      active?: boolean;
      useClientSecret?: boolean;
    }): Promise<GivenApplication> {
      const clientId = randomUUID();
      const secret = `rps_${randomBytes(32).toString("base64url")}`;
      await owner().transaction((tx) =>
        applications.create(tx, {
          clientId,
          realmId,
          type,
          name: `application ${clientId}`,
          clientUri: "https://client.example",
          redirectUri: type === "useragent" ? "https://client.example/back" : null,
          scopes: [...scopes],
          useClientSecret,
          requirePkce: false,
          createdBy: "test",
          secretHash: useClientSecret ? sha256(secret) : null,
          at: systemClock.now(),
        }),
      );
      if (!active) await owner().query(sql`update applications set active = false where client_id = ${clientId}`);
      return { clientId, realmId, secret };
    },

    async guestAccount({ realmId }: { realmId: string }): Promise<GivenGuestAccount> {
      const [row] = await owner().query<{ id: string }>(sql`
        insert into guest_accounts (realm_id, name, token_hash, token_sealed, created_at, expires_at)
        values (${realmId}, 'a conference', ${randomBytes(32)}, ${randomBytes(32)}, ${fromNow(0)}, ${fromNow(7 * day)})
        returning id
      `);
      return { id: row?.id ?? "", realmId };
    },

    /** An access token for whoever is named, as the authorization server would have stored it. */
    async token(
      holder: { realmId: string; clientId?: string; userId?: string; guestAccountId?: string },
      { scopes = allScopes, expiresAt = fromNow(30 * 60_000) }: { scopes?: readonly Scope[]; expiresAt?: Date } = {},
    ): Promise<string> {
      const token = `test_${randomBytes(32).toString("base64url")}`;
      await accessTokens.create(owner(), {
        tokenHash: sha256(token),
        realmId: holder.realmId,
        clientId: holder.clientId ?? null,
        userId: holder.userId ?? null,
        guestAccountId: holder.guestAccountId ?? null,
        secretHash: null,
        scopes: holder.guestAccountId === undefined ? scopes : [],
        at: systemClock.now(),
        expiresAt,
      });
      return token;
    },

    async signInLink(user: GivenUser, { at = systemClock.now() }: { at?: Date } = {}): Promise<string> {
      const token = `rpl_${randomBytes(32).toString("base64url")}`;
      await signInLinks.create(owner(), { tokenHash: sha256(token), userId: user.id, at });
      return token;
    },
  };
  return given;
}

export type Given = ReturnType<typeof givenRows>;
