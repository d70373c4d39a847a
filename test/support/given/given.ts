import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as accessTokens from "../../../db/queries/oauth/access-tokens.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as codes from "../../../db/queries/oauth/authorization-codes.ts";
import * as consents from "../../../db/queries/oauth/consents.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import * as logins from "../../../db/queries/sign-in/logins.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as refreshTokens from "../../../db/queries/oauth/refresh-tokens.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import * as signInLinks from "../../../db/queries/sign-in/sign-in-links.ts";
import * as users from "../../../db/queries/people/users.ts";
import { sql } from "../../../db/sql.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import type { Role } from "../../../domain/people/roles.ts";
import { allScopes, scopesAllowedTo, type Scope } from "../../../domain/people/scopes.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { sealUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const unique = (): string => randomBytes(6).toString("hex");
const day = 24 * 60 * 60 * 1000;
/** Returns the moment that is this many milliseconds from now. */
export const fromNow = (ms: number): Date => new Date(systemClock.now().getTime() + ms);

export interface GivenUser {
  id: string;
  realmId: string;
}

export interface GivenApplication {
  clientId: string;
  realmId: string;
  secret: string;
}

/** A session with one token of each kind; `code` has not been redeemed. */
export interface GivenSession {
  id: string;
  clientId: string;
  code: string;
  accessToken: string;
  refreshToken: string;
}

export interface GivenGuestAccount {
  id: string;
  realmId: string;
  token: string;
}

/** Makes rows for tests to start from. The rows are valid by default; a test overrides what matters to it. */
export function givenRows(owner: () => Database, { masterKeys }: { masterKeys?: MasterKeys } = {}) {
  const given = {
    /** Makes a realm with an issuer that cannot sign: its key is missing. */
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
      roles = administrator ? ["administrator"] : [],
      lockedAt = null,
      offboardedAt = null,
      pairwiseId = `user-${unique()}`,
      email = "",
      displayName,
      profileOverride = 0,
      createdAt = systemClock.now(),
    }: {
      realmId: string;
      administrator?: boolean;
      roles?: readonly Role[];
      lockedAt?: Date | null;
      offboardedAt?: Date | null;
      pairwiseId?: string;
      email?: string;
      displayName?: string;
      profileOverride?: number;
      createdAt?: Date;
    }): Promise<GivenUser> {
      const id = await users.create(owner(), { realmId, pairwiseId, email, displayName, roles, at: createdAt });
      await owner().query(sql`
        update users set locked_at = ${lockedAt}, offboarded_at = ${offboardedAt}, profile_override = ${profileOverride} where id = ${id}
      `);
      return { id, realmId };
    },

    /** Makes a profile of a user, a guest account or a server, as a worker would have left it; returns its serial number. */
    async profile(
      user: Pick<GivenUser, "realmId"> & Partial<GivenUser>,
      {
        guestAccountId = null,
        kind = guestAccountId === null ? "user" : "guest",
        name = "laptop",
        description = null,
        deviceType = "Linux",
        createdAt = fromNow(-60_000),
        notAfter = fromNow(365 * day),
        authable = false,
        serialNumber = BigInt(`0x${randomBytes(15).toString("hex")}1`).toString(),
      }: {
        /** The guest account that owns the profile instead of the user; the user then only names the realm. */
        guestAccountId?: string | null;
        kind?: ProfileKind;
        name?: string;
        description?: string | null;
        deviceType?: DeviceType;
        createdAt?: Date;
        notAfter?: Date;
        authable?: boolean;
        serialNumber?: string;
      } = {},
    ): Promise<string> {
      await owner().query(sql`
        insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, guest_account_id,
                                  name, description, device_type, authable, identity, certificate, spki_sha256,
                                  created_at, not_before, not_after, lapsed)
        select ${user.realmId}, i.id, ${serialNumber}, ${randomUUID()}, ${kind},
               ${kind === "user" ? (user.id ?? null) : null}, ${guestAccountId}, ${name}, ${description},
               ${kind === "infrastructure" ? null : deviceType}, ${authable}, ${`${unique()}@example.org`},
               ${Buffer.from("x")}, ${randomBytes(32)}, ${createdAt}, ${createdAt}, ${notAfter},
               ${notAfter <= systemClock.now()}
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
      name,
      clientUri = "https://client.example",
      redirectUri = "https://client.example/back",
      redirectUris = [redirectUri],
      requirePkce = false,
      fullTokenAnswers = false,
      firstParty = false,
    }: {
      realmId: string;
      type?: "service" | "useragent";
      scopes?: readonly Scope[];
      active?: boolean;
      useClientSecret?: boolean;
      name?: string;
      clientUri?: string;
      redirectUri?: string;
      /** Used instead of `redirectUri`. */
      redirectUris?: readonly string[];
      requirePkce?: boolean;
      fullTokenAnswers?: boolean;
      firstParty?: boolean;
    }): Promise<GivenApplication> {
      const clientId = randomUUID();
      const secret = `rps_${randomBytes(32).toString("base64url")}`;
      await owner().transaction((tx) =>
        applications.create(tx, {
          clientId,
          realmId,
          type,
          name: name ?? `application ${clientId}`,
          clientUri,
          redirectUris: type === "useragent" ? [...redirectUris] : [],
          scopes: [...scopes],
          useClientSecret,
          requirePkce,
          fullTokenAnswers,
          firstParty,
          createdBy: "test",
          secretHash: useClientSecret ? sha256(secret) : null,
          at: systemClock.now(),
        }),
      );
      if (!active) await owner().query(sql`update applications set active = false where client_id = ${clientId}`);
      return { clientId, realmId, secret };
    },

    async guestAccount({
      realmId,
      name = "a conference",
      note = null,
      profileLimit = null,
      createdAt = fromNow(-day),
      expiresAt = fromNow(7 * day),
      revokedAt = null,
    }: {
      realmId: string;
      name?: string;
      note?: string | null;
      profileLimit?: number | null;
      createdAt?: Date;
      expiresAt?: Date;
      revokedAt?: Date | null;
    }): Promise<GivenGuestAccount> {
      const token = `rpg_${randomBytes(32).toString("base64url")}`;
      const sealed =
        masterKeys === undefined
          ? randomBytes(32)
          : sealUnderMasterKey(masterKeys, Buffer.from(token), guestAccounts.tokenContext(sha256(token)));
      const [row] = await owner().query<{ id: string }>(sql`
        insert into guest_accounts (realm_id, name, note, profile_limit, token_hash, token_sealed, created_at,
                                    expires_at, revoked_at)
        values (${realmId}, ${name}, ${note}, ${profileLimit}, ${sha256(token)}, ${sealed}, ${createdAt},
                ${expiresAt}, ${revokedAt})
        returning id
      `);
      return { id: row?.id ?? "", realmId, token };
    },

    /** Signs a user in to a browser; returns the value of its cookie. */
    async login(user: GivenUser, { at = systemClock.now() }: { at?: Date } = {}): Promise<string> {
      const token = `rpb_${randomBytes(32).toString("base64url")}`;
      await logins.create(owner(), {
        id: randomUUID(),
        tokenHash: sha256(token),
        realmId: user.realmId,
        userId: user.id,
        method: "local",
        at,
        expiresAt: fromNow(12 * 3_600_000),
      });
      return token;
    },

    /**
     * Makes a session as the authorization server would have left it, with a code, a refresh token and an access token.
     */
    async session({
      user,
      clientId,
      scopes = allScopes,
      createdAt = systemClock.now(),
    }: {
      user: GivenUser;
      clientId?: string;
      scopes?: readonly Scope[];
      createdAt?: Date;
    }): Promise<GivenSession> {
      const { id: userId, realmId } = user;
      const client = clientId ?? (await given.application({ realmId, type: "useragent" })).clientId;
      const id = randomUUID();
      const expiresAt = fromNow(90 * day);
      const [code, refreshToken, accessToken] = (["rpc", "rpr", "test"] as const).map(
        (prefix) => `${prefix}_${randomBytes(32).toString("base64url")}`,
      ) as [string, string, string];
      const session = { id, realmId, userId, clientId: client, loginId: null, certificateId: null, scopes };
      await sessions.create(owner(), { ...session, signedInAt: createdAt, at: createdAt, expiresAt });
      await codes.create(owner(), {
        codeHash: sha256(code),
        sessionId: id,
        redirectUri: "https://client.example/back",
        codeChallenge: null,
        nonce: null,
        at: systemClock.now(),
        expiresAt: fromNow(60_000),
      });
      const at = systemClock.now();
      await refreshTokens.create(owner(), { tokenHash: sha256(refreshToken), sessionId: id, at, expiresAt });
      await accessTokens.create(owner(), {
        tokenHash: sha256(accessToken),
        realmId,
        clientId: client,
        userId,
        guestAccountId: null,
        secretHash: null,
        sessionId: id,
        certificateId: null,
        scopes,
        at,
        expiresAt: fromNow(30 * 60_000),
      });
      return { id, clientId: client, code, accessToken, refreshToken };
    },

    /** Records a user's consent to an application. */
    async consent(user: GivenUser, clientId: string, { scopes = allScopes }: { scopes?: readonly Scope[] } = {}) {
      const application = await applications.find(owner(), { clientId });
      if (application === undefined) throw new Error("no application");
      await consents.grant(owner(), { userId: user.id, application, scopes, at: systemClock.now() });
    },

    /** Makes an access token of the given holder, as the authorization server would have stored it. */
    async token(
      holder: { realmId: string; clientId?: string; userId?: string; guestAccountId?: string },
      {
        scopes = scopesAllowedTo(holder.userId === undefined ? "service" : "useragent"),
        expiresAt = fromNow(30 * 60_000),
      }: { scopes?: readonly Scope[]; expiresAt?: Date } = {},
    ): Promise<string> {
      const token = `test_${randomBytes(32).toString("base64url")}`;
      await accessTokens.create(owner(), {
        tokenHash: sha256(token),
        realmId: holder.realmId,
        clientId: holder.clientId ?? null,
        userId: holder.userId ?? null,
        guestAccountId: holder.guestAccountId ?? null,
        secretHash: null,
        sessionId: null,
        certificateId: null,
        scopes: holder.guestAccountId === undefined ? scopes : [],
        at: systemClock.now(),
        expiresAt,
      });
      return token;
    },

    /** Makes a bulk job about one person, whose row has failed if the job has ended. */
    async job({
      realmId,
      state,
    }: {
      realmId: string;
      state: "ready" | "running" | "completed_with_errors";
    }): Promise<string> {
      const id = randomUUID();
      const ended = state === "completed_with_errors";
      await owner().query(sql`
        insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, finished_at, total, failed,
                          expected_change, progress_at)
        values (${id}, ${realmId}, 'onboarding', ${state}, false, '{pairwiseID}', now(),
                case when ${state !== "ready"} then now() end, case when ${ended} then now() end, 1,
                ${ended ? 1 : 0}, 0, now())
      `);
      await owner().query(sql`
        insert into job_rows (job_id, position, input, pairwise_id, status, expected, error_code)
        values (${id}, 1, ${[`user-${id}`]}, ${`user-${id}`}, ${ended ? "failed" : "pending"}, 'unchanged',
                ${ended ? "internal_error" : null})
      `);
      await owner().query(sql`update jobs set unchanged = total - failed where id = ${id} and state = 'ready'`);
      return id;
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
