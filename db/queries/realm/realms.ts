import type { DeviceType, KeyType } from "../../../domain/certificate/device.ts";
import type { Realm } from "../../../domain/realm.ts";
import type { LogoType } from "../../../domain/realm-logo.ts";
import type { UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import type { DirectoryAttribute } from "../../../domain/people/directory-attributes.ts";
import type { SignInClaims, VlanRule } from "../../../domain/people/vlan.ts";
import type { NewPeopleFrom, PairwiseAttribute } from "../../../domain/people/directory.ts";
import { first, only, type Db } from "../../client.ts";
import { join, sql, type Sql } from "../../sql.ts";

/** The parties that can set a realm's identity provider. */
export const upstreamAuthors = ["operator", "console"] as const;
export type UpstreamAuthor = (typeof upstreamAuthors)[number];

export interface RealmRow extends Realm {
  /** SHA-256 of the uploaded logo, in hexadecimal digits; null: no logo. */
  uploadedLogo: string | null;
  /** The addresses of help and of the privacy notice; empty: none. */
  helpUri: string;
  privacyUri: string;
  /** The domains that DNS names of infrastructure profiles may be in, in addition to the realm's own domain. */
  infrastructureDomains: string[];
  radiusCa: string | null;
  /** The addresses and networks of the realm's RADIUS servers; empty: every address counts as a RADIUS server. */
  radiusAddresses: string[];
  /** Names in the certificates of further RADIUS servers. */
  radiusNames: string[];
  /** The Wi-Fi networks that device files configure. */
  ssids: string[];
  /** False: nobody has named the networks. */
  ssidsConfirmed: boolean;
  /** Whether device files also configure wired networks. */
  wired: boolean;
  /** Roaming consortium identifiers (Passpoint), the preferred one first. */
  rcois: string[];
  /** The e-mail address for help in device files, in addition to `helpUri`; empty: none. */
  helpMail: string;
  helpPhone: string;
  /** How many days before the end of a profile apps remind people. */
  reminderLeadDays: number;
  /** Whether the geteduroam apps may fetch profiles. */
  onboardingApps: boolean;
  /** The name under which the apps list the realm; empty: the apps do not list it. */
  appsListing: string;
  /**
   * Above `unconfirmedRemovalsMax`, a bulk job that affects more than this percentage of the active people or profiles
   * must be confirmed.
   */
  offboardingShare: number;
  /** The realm's time zone, by its name in the IANA database. */
  timeZone: string;
  /** The longest lifetime, in days, that guest managers may give a guest account. */
  guestDaysMax: number;
  guestLimitMax: number;
  /** When the set-up was finished. From then on, only the operator changes whom the realm trusts. */
  setUpAt: Date | null;
  keyTypes: Partial<Record<DeviceType, KeyType>>;
  /** How many months after their offboarding people are forgotten; null: never. */
  forgetAfterMonths: number | null;
  localSignIn: boolean;
  /** The protocol of the identity provider; null: no identity provider. A trigger of the database sets it. */
  upstreamKind: "oidc" | null;
  upstreamIssuer: string | null;
  upstreamClientId: string | null;
  upstreamClientSecretSet: boolean;
  upstreamClaims: UpstreamClaims;
  /** The first rule that matches, at a sign-in or by a directory's attributes, sets the person's VLAN. */
  vlanRules: VlanRule[];
  /** The VLAN of people who have no other VLAN; null: the RADIUS server decides. */
  vlanDefault: string | null;
  /** The SCIM attribute whose value is the pairwise id. */
  scimPairwise: PairwiseAttribute;
  newPeople: NewPeopleFrom;
  /** The SCIM attributes that stand for claims of the rules. */
  scimAttributes: DirectoryAttribute[];
}

const columns = sql`
  id, name, display_name as "displayName", domain, logo_uri as "logoUri",
  uploaded_logo_digest as "uploadedLogo",
  help_uri as "helpUri", privacy_uri as "privacyUri",
  infrastructure_domains as "infrastructureDomains", max_profiles as "maxProfiles",
  max_valid_months as "maxValidMonths", radius_cn as "radiusCn", radius_ca as "radiusCa", radius_addresses as "radiusAddresses",
  radius_names as "radiusNames", ssids, ssids_confirmed as "ssidsConfirmed", wired, rcois, key_types as "keyTypes",
  help_mail as "helpMail", help_phone as "helpPhone", reminder_lead_days as "reminderLeadDays",
  onboarding_apps as "onboardingApps", apps_listing as "appsListing",
  offboarding_share_percent as "offboardingShare", forget_after_months as "forgetAfterMonths",
  time_zone as "timeZone", guest_days_max as "guestDaysMax", guest_limit_max as "guestLimitMax", set_up_at as "setUpAt",
  local_sign_in as "localSignIn", upstream_kind as "upstreamKind", upstream_issuer as "upstreamIssuer", upstream_client_id as "upstreamClientId",
  upstream_client_secret is not null as "upstreamClientSecretSet", upstream_claims as "upstreamClaims",
  vlan_rules as "vlanRules", vlan_default as "vlanDefault",
  scim_pairwise as "scimPairwise", new_people as "newPeople", scim_attributes as "scimAttributes"`;

export async function findById(db: Db, id: string): Promise<RealmRow | undefined> {
  return first(await db.query<RealmRow>(sql`select ${columns} from realms where id = ${id}`));
}

export async function findByName(db: Db, name: string): Promise<RealmRow | undefined> {
  return first(await db.query<RealmRow>(sql`select ${columns} from realms where name = ${name}`));
}

/** Lists every realm, in the order of creation. */
export const list = (db: Db): Promise<RealmRow[]> => db.query<RealmRow>(sql`select ${columns} from realms order by id`);

/** The values of a realm that guides contain. */
export interface GuideRealm {
  id: string;
  name: string;
  domain: string;
  radiusCn: string | null;
  /** The issuer that signs; null: none. */
  issuerId: string | null;
}

/**
 * Returns the realm of this name or, without a name, the only realm; undefined if there is none or, without a name,
 * more than one.
 */
export async function findForGuides(db: Db, { name }: { name: string | undefined }): Promise<GuideRealm | undefined> {
  const found = await db.query<GuideRealm>(sql`
    select r.id, r.name, r.domain, r.radius_cn as "radiusCn",
           (select i.id from issuers i where i.realm_id = r.id and i.issuing) as "issuerId"
      from realms r
     where ${name ?? null}::text is null or r.name = ${name ?? null}
     limit 2
  `);
  return found.length === 1 ? found[0] : undefined;
}

export interface NewRealm {
  name: string;
  displayName: string;
  domain: string;
  localSignIn: boolean;
  at: Date;
}

/** Creates a realm. Throws a unique violation of `realms_name_key` when the name is taken. */
export async function create(db: Db, realm: NewRealm): Promise<RealmRow> {
  return only(
    await db.query<RealmRow>(sql`
      insert into realms (name, display_name, domain, local_sign_in, created_at)
      values (${realm.name}, ${realm.displayName}, ${realm.domain}, ${realm.localSignIn}, ${realm.at})
      returning ${columns}
    `),
  );
}

/** Returns a realm with its row locked against changes until the transaction ends. */
export async function lock(tx: Db, id: string): Promise<RealmRow> {
  return only(await tx.query<RealmRow>(sql`select ${columns} from realms where id = ${id} for update`));
}

/** Makes other transactions that create or change a realm wait until this transaction ends. */
export async function lockAll(tx: Db): Promise<void> {
  await tx.query(sql`lock table realms in share row exclusive mode`);
}

export interface RealmChange {
  displayName?: string | undefined;
  logoUri?: string | undefined;
  helpUri?: string | undefined;
  privacyUri?: string | undefined;
  infrastructureDomains?: readonly string[] | undefined;
  radiusCn?: string | undefined;
  /** PEM; null: the realm's own CA. */
  radiusCa?: string | null | undefined;
  radiusAddresses?: readonly string[] | undefined;
  radiusNames?: readonly string[] | undefined;
  ssids?: readonly string[] | undefined;
  wired?: boolean | undefined;
  rcois?: readonly string[] | undefined;
  helpMail?: string | undefined;
  helpPhone?: string | undefined;
  reminderLeadDays?: number | undefined;
  onboardingApps?: boolean | undefined;
  appsListing?: string | undefined;
  /** Replaces the key types of all kinds of devices. */
  keyTypes?: Partial<Record<DeviceType, KeyType>> | undefined;
  offboardingShare?: number | undefined;
  timeZone?: string | undefined;
  guestDaysMax?: number | undefined;
  guestLimitMax?: number | undefined;
  /** Null: people are never forgotten. */
  forgetAfterMonths?: number | null | undefined;
  localSignIn?: boolean | undefined;
  /** Null removes the setting; the same holds for `upstreamClientId` and `upstreamClientSecret`. */
  upstreamIssuer?: string | null | undefined;
  upstreamClientId?: string | null | undefined;
  /** Sealed under the master key, see {@link upstreamSecretContext}. */
  upstreamClientSecret?: Uint8Array | null | undefined;
  upstreamClaims?: UpstreamClaims | undefined;
  vlanRules?: readonly VlanRule[] | undefined;
  vlanDefault?: string | null | undefined;
  maxProfiles?: number | undefined;
  maxValidMonths?: number | undefined;
  /**
   * A change throws a violation of `realms_scim_pairwise_stays` once a directory has brought people to the realm, even
   * if it has removed them since.
   */
  scimPairwise?: PairwiseAttribute | undefined;
  newPeople?: NewPeopleFrom | undefined;
  scimAttributes?: readonly DirectoryAttribute[] | undefined;
}

/**
 * Changes the given settings and keeps the others. The statement names only the columns that change, because the api's
 * role may write only some columns.
 */
export async function update(db: Db, id: string, change: RealmChange): Promise<RealmRow> {
  const claims = change.upstreamClaims === undefined ? undefined : JSON.stringify(change.upstreamClaims);
  const given: readonly [column: Sql, value: unknown][] = [
    [sql`display_name`, change.displayName],
    [sql`logo_uri`, change.logoUri],
    [sql`help_uri`, change.helpUri],
    [sql`privacy_uri`, change.privacyUri],
    [sql`infrastructure_domains`, change.infrastructureDomains],
    [sql`radius_cn`, change.radiusCn],
    [sql`radius_ca`, change.radiusCa],
    [sql`radius_addresses`, change.radiusAddresses],
    [sql`offboarding_share_percent`, change.offboardingShare],
    [sql`forget_after_months`, change.forgetAfterMonths],
    [sql`time_zone`, change.timeZone],
    [sql`guest_days_max`, change.guestDaysMax],
    [sql`guest_limit_max`, change.guestLimitMax],
    [sql`ssids`, change.ssids],
    [sql`ssids_confirmed`, change.ssids === undefined ? undefined : true],
    [sql`wired`, change.wired],
    [sql`radius_names`, change.radiusNames],
    [sql`rcois`, change.rcois],
    [sql`help_mail`, change.helpMail],
    [sql`help_phone`, change.helpPhone],
    [sql`reminder_lead_days`, change.reminderLeadDays],
    [sql`onboarding_apps`, change.onboardingApps],
    [sql`apps_listing`, change.appsListing],
    [sql`key_types`, change.keyTypes === undefined ? undefined : JSON.stringify(change.keyTypes)],
    [sql`local_sign_in`, change.localSignIn],
    [sql`upstream_issuer`, change.upstreamIssuer],
    [sql`upstream_client_id`, change.upstreamClientId],
    [sql`upstream_client_secret`, change.upstreamClientSecret],
    [sql`upstream_claims`, claims],
    [sql`vlan_rules`, change.vlanRules === undefined ? undefined : JSON.stringify(change.vlanRules)],
    [sql`vlan_default`, change.vlanDefault],
    [sql`max_profiles`, change.maxProfiles],
    [sql`max_valid_months`, change.maxValidMonths],
    [sql`scim_pairwise`, change.scimPairwise],
    [sql`new_people`, change.newPeople],
    [sql`scim_attributes`, change.scimAttributes === undefined ? undefined : JSON.stringify(change.scimAttributes)],
  ];
  const settings = given.flatMap(([column, value]) => (value === undefined ? [] : [sql`${column} = ${value}`]));
  if (settings.length === 0) return only(await db.query<RealmRow>(sql`select ${columns} from realms where id = ${id}`));
  return only(
    await db.query<RealmRow>(sql`
      update realms set ${join(settings, sql`, `)} where id = ${id} returning ${columns}
    `),
  );
}

/** The logo that an administrator uploaded for a realm. */
export interface UploadedLogo {
  type: LogoType;
  bytes: Buffer;
}

/** Returns the uploaded logo of a realm with this digest; undefined once it is replaced or removed. */
export async function findUploadedLogo(
  db: Db,
  { realmId, digest }: { realmId: string; digest: string },
): Promise<UploadedLogo | undefined> {
  return first(
    await db.query<UploadedLogo>(sql`
      select uploaded_logo_type as type, uploaded_logo as bytes
        from realms
       where id = ${realmId}
         and uploaded_logo_digest = ${digest}
    `),
  );
}

/** Replaces the uploaded logo of a realm; null removes it. */
export async function setUploadedLogo(tx: Db, id: string, logo: UploadedLogo | null): Promise<RealmRow> {
  return only(
    await tx.query<RealmRow>(sql`
      update realms
         set uploaded_logo = ${logo?.bytes ?? null}, uploaded_logo_type = ${logo?.type ?? null}
       where id = ${id}
      returning ${columns}
    `),
  );
}

/**
 * Returns the context in which the master key seals a realm's secret at its identity provider: this table, this row.
 */
export const upstreamSecretContext = (realmId: string): string => `realms/${realmId}/upstream_client_secret`;

/** Returns whether people can sign in through the realm's identity provider: this needs its issuer and a client id. */
export const hasUpstream = <Realm extends Pick<RealmRow, "upstreamIssuer" | "upstreamClientId">>(
  realm: Realm,
): realm is Realm & { upstreamIssuer: string; upstreamClientId: string } =>
  realm.upstreamIssuer !== null && realm.upstreamClientId !== null;

/** All sign-in settings of a realm, as the console sets them. */
export interface FirstUpstream {
  kind: "oidc";
  issuer: string;
  clientId: string;
  /** Sealed under the master key, see {@link upstreamSecretContext}; null: a public client. */
  sealedSecret: Uint8Array | null;
  claims: UpstreamClaims;
}

/**
 * Sets the sign-in of a realm without an identity provider whose set-up is not finished. For any other realm, Postgres rejects the
 * change, unless the operator makes it.
 */
export async function setFirstUpstream(tx: Db, id: string, upstream: FirstUpstream): Promise<RealmRow> {
  const { kind, issuer, clientId, sealedSecret, claims } = upstream;
  return only(
    await tx.query<RealmRow>(sql`
      update realms
         set upstream_kind = ${kind}, upstream_set_by = 'console', upstream_issuer = ${issuer},
             upstream_client_id = ${clientId}, upstream_client_secret = ${sealedSecret},
             upstream_claims = ${JSON.stringify(claims)}
       where id = ${id}
      returning ${columns}
    `),
  );
}

/** The settings needed to sign in through a realm's identity provider. */
export interface RealmUpstream {
  realmId: string;
  realmName: string;
  setBy: UpstreamAuthor;
  issuer: string;
  clientId: string;
  /** Sealed under the master key; null: this service is a public client there. */
  sealedSecret: Buffer | null;
  claims: SignInClaims;
}

/** Returns the identity provider of a realm; undefined if the realm does not exist or has no identity provider. */
export async function findUpstream(
  db: Db,
  realm: { name: string } | { id: string },
): Promise<RealmUpstream | undefined> {
  const named = "name" in realm ? sql`name = ${realm.name}` : sql`id = ${realm.id}`;
  return first(
    await db.query<RealmUpstream>(sql`
      select id as "realmId", name as "realmName", upstream_set_by as "setBy", upstream_issuer as issuer, upstream_client_id as "clientId",
             upstream_client_secret as "sealedSecret",
             upstream_claims || jsonb_build_object('vlanRules', vlan_rules) as claims
        from realms
       where ${named}
         and upstream_issuer is not null
         and upstream_client_id is not null
    `),
  );
}

/** The network settings for the device of an issuance, and the CAs of the issuer that signs the certificate. */
export interface IssuanceNetwork {
  issuanceId: string;
  displayName: string;
  domain: string;
  ssids: string[];
  wired: boolean;
  radiusCn: string | null;
  radiusNames: string[];
  radiusCa: string | null;
  rcois: string[];
  helpUri: string;
  helpMail: string;
  helpPhone: string;
  reminderLeadDays: number;
  issuer: Buffer;
  /** DER certificates above the issuer, root last. */
  issuerChain: Buffer[];
}

/** Returns the networks of issuances that have an issuer. */
export const listNetworksOfIssuances = (db: Db, issuanceIds: readonly string[]): Promise<IssuanceNetwork[]> =>
  db.query<IssuanceNetwork>(sql`
    select i.id as "issuanceId", r.display_name as "displayName", r.domain, r.ssids, r.wired, r.radius_cn as "radiusCn",
           r.radius_names as "radiusNames", r.radius_ca as "radiusCa", r.rcois, r.help_uri as "helpUri",
           r.help_mail as "helpMail", r.help_phone as "helpPhone", r.reminder_lead_days as "reminderLeadDays",
           s.certificate as issuer, s.chain as "issuerChain"
      from issuances i
      join realms r on r.id = i.realm_id
      join issuers s on s.id = i.issuer_id and s.realm_id = i.realm_id
     where i.id = any(${issuanceIds}::uuid[])
  `);
