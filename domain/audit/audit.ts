/** The names of all audit events, as `<subject>_<verb>`. */
export const auditEvents = [
  "admin_login",
  "user_login",
  "user_login_refused",
  "user_create",
  "user_update",
  "user_lock",
  "user_unlock",
  "user_offboard",
  "user_undelete",
  "user_limit_update",
  "user_role_update",
  "user_vlan_update",
  "user_password_set",
  "user_note_update",
  "user_forget",
  "user_export",
  "hand_over_create",
  "profile_create",
  "profile_revoke",
  "guest_account_create",
  "guest_account_update",
  "guest_account_revoke",
  "guest_token_read",
  "guest_profile_create",
  "guest_profile_revoke",
  "infrastructure_profile_create",
  "infrastructure_profile_revoke",
  "realm_update",
  "realm_create",
  "setup_finish",
  "client_create",
  "client_update",
  "client_delete",
  "client_secret_create",
  "static_token_create",
  "static_token_delete",
  "scim_hold",
  "job_create",
  "job_take_over",
  "job_start",
  "job_change",
  "job_cancel",
  "job_finish",
  "job_output_read",
  "job_output_erase",
  "audit_export",
  "list_export",
  "crl_publish",
  "consent_withdraw",
  "session_end",
  "sign_in_link_create",
  "issuer_create",
  "issuer_prepare",
  "issuer_rotate",
  "root_crl_publish",
  "secret_replace",
  "serial_revoke",
  "database_restore",
  "revocation_replay",
] as const;
export type AuditEvent = (typeof auditEvents)[number];

/**
 * Who caused an event: a user, a client on its own, or a user through a client. An operator, a guest account and the
 * service itself have neither id.
 */
export interface Actor {
  userId: string | null;
  clientId: string | null;
}

export const operatorActor: Actor = { userId: null, clientId: null };
