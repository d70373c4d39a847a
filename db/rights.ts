import { queueRole, type DatabaseRole } from "./client.ts";

/** A role's rights on a table: on the whole table, or only on these columns. */
interface Rights {
  select?: true | readonly string[];
  insert?: true | readonly string[];
  update?: true | readonly string[];
  delete?: true;
}

/**
 * Every right of the service's roles on the tables of the schema `public`, by table and role. Migrations grant no
 * rights: after the last migration, `migrate` grants missing rights and revokes rights that are not listed.
 * `db/grants.md` shows the rights in a migrated database. A row lock needs the right to update one column of the table.
 *
 * The api decides and records intent: it writes no certificate, reads no issuer key, and changes no audit entry. The
 * worker signs and writes what it signed: it reads no application's or identity provider's secret and no guest's token,
 * has no key for the secrets that the master key seals, and removes expired rows only by their times. The operator
 * creates realms, issuers, people and applications.
 */
export const tableRights: Readonly<Record<string, Partial<Record<DatabaseRole, Rights>>>> = {
  abandoned_serial_numbers: {
    realmpass_api: { insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_responder: { select: ["abandoned_at", "issuer_id", "serial_number"] },
    realmpass_operator: { select: true, insert: true },
  },
  access_tokens: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  absences: {
    realmpass_api: { select: true, insert: true, update: ["back_at", "ended_at"], delete: true },
    realmpass_operator: { select: true, insert: true, update: ["back_at", "ended_at"] },
  },
  active_profiles: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true },
  },
  app_authorizations: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  application_requests: {
    realmpass_api: { select: true, insert: true, update: ["requests"] },
    realmpass_worker: { select: ["client_id", "hour", "status"], delete: true },
    realmpass_operator: { select: true },
  },
  application_secrets: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  applications: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["active", "client_id", "realm_id", "scopes", "type"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  audit_entries: {
    realmpass_api: { select: true, insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true, insert: true },
  },
  audit_exports: {
    realmpass_api: { select: true },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  audit_heads: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  audit_seals: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  audit_unsealed: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true },
  },
  authorization_codes: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  certificates: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: ["lapsed"] },
    realmpass_responder: {
      select: [
        "id",
        "issuer_id",
        "kind",
        "last_ocsp_at",
        "last_other_ocsp_at",
        "revocation_reason",
        "revoked_at",
        "serial_number",
      ],
      update: ["last_ocsp_at", "last_other_ocsp_at"],
    },
    realmpass_operator: { select: true },
  },
  consents: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  console_sessions: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "session_id"] },
    realmpass_operator: {
      select: ["access_expires_at", "created_at", "expires_at", "id", "realm_id", "session_id", "user_id"],
      update: ["access_expires_at"],
      delete: true,
    },
  },
  crl_listings: {
    realmpass_api: { select: true },
    realmpass_operator: { select: true },
  },
  crl_pieces: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, delete: true },
    realmpass_operator: { select: true },
  },
  crl_requests: {
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true, insert: true },
  },
  crl_unpublished: {
    realmpass_api: { select: ["id", "issuer_id", "revoked_at"] },
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true },
  },
  crls: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: true },
    realmpass_operator: { select: true },
  },
  guesses: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expire", "key"], delete: true },
  },
  guest_accounts: {
    realmpass_api: {
      select: true,
      insert: ["created_at", "expires_at", "name", "note", "profile_limit", "realm_id", "token_hash", "token_sealed"],
      update: ["code_hash", "expires_at", "name", "note", "profile_limit", "revoked_at"],
    },
    // For locking: settling an issuance locks the owner's row.
    realmpass_worker: { select: ["expires_at", "id", "revoked_at"], update: ["revoked_at"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  hand_overs: {
    realmpass_api: { select: true, insert: true, update: true },
    realmpass_worker: {
      select: ["app", "downloaded_at", "expires_at", "id", "issuance_id", "offered_at", "picked_up_at"],
      // For locking a row: no statement writes the column.
      update: ["expires_at"],
      delete: true,
    },
    realmpass_operator: { select: true },
  },
  idempotency_keys: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["created_at", "key", "scope"], delete: true },
    realmpass_operator: { select: true },
  },
  issuance_outputs: {
    realmpass_api: { select: true, update: ["collected_at", "sealed"] },
    realmpass_worker: { select: true, insert: true, update: ["sealed"] },
    realmpass_operator: { select: true },
  },
  installation_secrets: {
    realmpass_api: { select: true, insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_responder: { select: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  installation: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_responder: { select: true },
    realmpass_operator: { select: true, update: ["probed_at"] },
  },
  issuances: {
    realmpass_api: {
      select: true,
      insert: [
        "authable",
        "beyond_limit",
        "created_at",
        "created_by_client_id",
        "created_by_user_id",
        "csr",
        "description",
        "device_hash",
        "device_type",
        "format",
        "guest_account_id",
        "id",
        "key_type",
        "kind",
        "name",
        "realm_id",
        "renews_certificate_id",
        "request_id",
        "user_id",
        "validity_months",
      ],
      update: ["claim_id", "error_code", "finished_at", "lease_expires_at", "replaced_ends_at", "status"],
    },
    realmpass_worker: {
      select: true,
      insert: [
        "batch_id",
        "batch_position",
        "created_at",
        "created_by_client_id",
        "created_by_user_id",
        "device_type",
        "format",
        "id",
        "key_type",
        "kind",
        "name",
        "realm_id",
        "request_id",
        "user_id",
        "validity_months",
      ],
      update: [
        "claim_id",
        "claims",
        "error_code",
        "error_detail",
        "failures",
        "finished_at",
        "identity",
        "issuer_id",
        "lease_expires_at",
        "not_after",
        "not_before",
        "serial_number",
        "status",
      ],
    },
    // For replaying lost changes after a restore: offboardings, and ends of issuances.
    realmpass_operator: { select: true, update: ["error_code", "finished_at", "status"] },
  },
  issuer_keys: {
    realmpass_worker: { select: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  issuers: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_responder: { select: ["certificate", "id", "issuing", "not_after", "realm_id"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  job_rows: {
    realmpass_api: { select: true, insert: true, update: true },
    // The worker changes the outcome of a row and the person found for it, not its input; rows are deleted with their
    // job.
    realmpass_worker: {
      select: true,
      update: ["affected_profiles", "error_code", "expected", "issuance_id", "message", "status", "user_id"],
    },
    realmpass_operator: { select: true },
  },
  jobs: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    // The worker cannot change a job's subjects, effect or creator.
    realmpass_worker: {
      select: true,
      update: [
        "affected_profiles",
        "attended_at",
        "changed",
        "error_code",
        "execute_at",
        "expected_change",
        "failed",
        "finished_at",
        "marked_at",
        "output_erased_at",
        "progress_at",
        "rate_from_at",
        "rate_from_done",
        "rate_next_at",
        "rate_next_done",
        "revision",
        "revoke_at",
        "skipped",
        "started_at",
        "state",
        "unchanged",
      ],
      delete: true,
    },
    // Jobs of offboarded people wait for another user to start them.
    realmpass_operator: {
      select: true,
      update: [
        "affected_profiles",
        "changed",
        "error_code",
        "failed",
        "progress_at",
        "revision",
        "skipped",
        "state",
        "unchanged",
      ],
    },
  },
  knex_migrations: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_responder: { select: true },
    realmpass_operator: { select: true },
  },
  knex_migrations_lock: {
    realmpass_operator: { select: true },
  },
  local_credentials: {
    realmpass_api: { select: true, update: ["password_hash"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  logins: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "id", "user_id"], delete: true },
    realmpass_operator: { select: true },
  },
  ocsp_responders: {
    realmpass_worker: { select: true, insert: true, update: ["certificate"], delete: true },
    realmpass_responder: { select: ["certificate", "not_after", "not_before", "public_key"] },
    realmpass_operator: { select: true },
  },
  output_data_keys: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: ["wrapped"] },
    realmpass_operator: { select: true },
  },
  processes: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: true, insert: true, update: true, delete: true },
    realmpass_responder: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  profile_spans: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true },
  },
  recent_removals: {
    realmpass_api: { select: true, insert: true, update: ["minute", "removals"] },
    realmpass_worker: { select: true, insert: true, update: ["minute", "removals"] },
  },
  realms: {
    realmpass_api: {
      select: true,
      update: [
        "apps_listing",
        "display_name",
        "guest_days_max",
        "guest_limit_max",
        "help_mail",
        "help_phone",
        "help_uri",
        "key_types",
        "logo_uri",
        "max_profiles",
        "max_valid_months",
        "new_people",
        "offboarding_share_percent",
        "onboarding_apps",
        "privacy_uri",
        "radius_addresses",
        "radius_ca",
        "radius_cn",
        "radius_names",
        "rcois",
        "reminder_lead_days",
        "scim_pairwise",
        "scim_window_from",
        "set_up_at",
        "ssids",
        "ssids_confirmed",
        "time_zone",
        "uploaded_logo",
        "uploaded_logo_type",
        // The upstream_* settings can be changed only until the realm has a sign-in or its set-up is finished: see the
        // trigger realms_trust_is_set_once.
        "upstream_claims",
        "upstream_client_id",
        "upstream_client_secret",
        "upstream_issuer",
        "upstream_kind",
        "upstream_set_by",
      ],
    },
    realmpass_worker: {
      select: [
        "display_name",
        "domain",
        "forget_after_months",
        "help_mail",
        "help_phone",
        "help_uri",
        "id",
        "infrastructure_domains",
        "key_types",
        "max_profiles",
        "max_valid_months",
        "offboarding_share_percent",
        "radius_ca",
        "radius_cn",
        "radius_names",
        "rcois",
        "reminder_lead_days",
        "set_up_at",
        "ssids",
        "wired",
      ],
      update: ["set_up_at"],
    },
    realmpass_responder: { select: ["id", "radius_addresses"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  refresh_tokens: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  responder_requests: {
    realmpass_api: { select: ["requested_at", "taken_at"] },
    realmpass_worker: { select: true, update: ["taken_at"], delete: true },
    realmpass_responder: { select: true, insert: ["issuer_id", "process_id", "public_key"] },
    realmpass_operator: { select: ["issuer_id", "requested_at"] },
  },
  revocations: {
    realmpass_api: { select: true, insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true, insert: true },
  },
  revoked_feed_readers: {
    realmpass_api: { select: true, insert: true, update: ["read_at"] },
    realmpass_operator: { select: true },
  },
  root_crls: {
    realmpass_api: { select: true },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  scim_users: {
    realmpass_api: {
      select: true,
      insert: true,
      update: [
        "active",
        "attributes",
        "client_id",
        "deleted_at",
        "email_primary",
        "email_type",
        "external_id",
        "offboarded_at",
        "updated_at",
        "user_name",
      ],
    },
    realmpass_operator: { select: true },
  },
  sessions: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["client_id", "expires_at", "id", "last_used_at", "user_id"], delete: true },
    realmpass_operator: { select: true },
  },
  sign_in_drafts: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "realm_id"], delete: true },
    realmpass_operator: { select: true, update: ["sealed_secret"], delete: true },
  },
  sign_in_links: {
    realmpass_api: { select: true, update: ["consumed_at"] },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  sign_in_tests: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "id"], delete: true },
    realmpass_operator: { select: true, delete: true },
  },
  static_tokens: {
    realmpass_api: { select: true, insert: true, update: ["last_used_at"], delete: true },
    realmpass_operator: { select: true, delete: true },
  },
  // The api stores addresses that fetch CRLs; a responder stores addresses that send OCSP requests.
  status_askers: {
    realmpass_api: { select: true, insert: true, update: true },
    realmpass_responder: { select: true, insert: true, update: true },
    realmpass_operator: { select: true },
  },
  status_counts: {
    realmpass_api: { select: true },
    realmpass_worker: { select: ["address", "hour", "realm_id"], delete: true },
    realmpass_responder: {
      select: ["address", "good", "hour", "last_at", "realm_id", "refused"],
      insert: true,
      update: ["good", "last_at", "refused"],
    },
    realmpass_operator: { select: true },
  },
  token_signing_keys: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true, update: true },
  },
  upstream_attempts: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true, delete: true },
  },
  upstream_identities: {
    realmpass_api: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  user_notes: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  user_profile_counts: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, update: ["profile_count"] },
    realmpass_operator: { select: true },
  },
  user_vlans: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  users: {
    realmpass_api: {
      select: true,
      insert: [
        "administrator",
        "created_at",
        "display_name",
        "email",
        "pairwise_id",
        "provider_roles",
        "realm_id",
        "roles",
      ],
      update: [
        "administrator",
        "display_name",
        "email",
        "locked_at",
        "not_permitted_since",
        "offboarded_at",
        "offboarding_job_id",
        // Can be changed only for people who have neither signed in nor had a profile: see the trigger
        // users_pairwise_id_stays.
        "pairwise_id",
        "profile_override",
        "provider_roles",
        "roles",
      ],
    },
    realmpass_worker: {
      select: true,
      insert: ["created_at", "email", "pairwise_id", "profile_override", "realm_id"],
      update: ["email", "offboarded_at", "offboarding_job_id", "profile_override"],
    },
    realmpass_operator: { select: true, insert: true, update: true },
  },
};

/** The roles that may execute each function. Trigger functions need no right. */
export const functionRights: Readonly<Record<string, readonly DatabaseRole[]>> = {
  "analyze_grown_users()": ["realmpass_worker"],
  "end_sign_ins(bigint[])": ["realmpass_api", "realmpass_worker", "realmpass_operator"],
  "forget_users(bigint[],timestamp with time zone)": ["realmpass_worker"],
  "let_back_in(uuid,integer,integer,bigint[])": ["realmpass_worker"],
};

/** The roles that may use the schema `public`. */
export const schemaUsers: readonly DatabaseRole[] = [
  "realmpass_api",
  "realmpass_worker",
  "realmpass_responder",
  "realmpass_operator",
];

/** The service's roles. No process signs in as a role: logins are members of roles. */
export const groupRoles = [...schemaUsers, queueRole] as const;
export type GroupRole = (typeof groupRoles)[number];

/** Memberships among the service's roles: the queue connections of api and worker assume the queue's role. */
export const memberships: readonly { member: GroupRole; of: GroupRole }[] = [
  { member: "realmpass_api", of: queueRole },
  { member: "realmpass_worker", of: queueRole },
];
