import { revocationsPerHourMax } from "./limits.ts";

/**
 * Every way a request of the API can fail, with its status code, defined only here. Codes are part of the published
 * contract. OAuth endpoints and pages have their own errors (`api/oauth/oauth-error.ts`, `api/pages/problems.ts`).
 */
export const errorCatalogue = {
  invalid_request: { status: 400, message: "The request is not valid." },
  unknown_columns: { status: 400, message: "The first line of the file has no heading that is known." },
  invalid_csr: { status: 400, message: "The certificate signing request cannot be used." },
  unsupported_api_version: { status: 400, message: "This API version does not exist; use 1.0 or 2.0." },
  name_not_permitted: { status: 400, message: "The name is a DNS name outside the domains of this realm." },
  guest_account_required: { status: 400, message: "This needs a guest account's token." },
  unauthenticated: { status: 401, message: "A valid access token is required." },
  forbidden: { status: 403, message: "This needs a role that your account does not have." },
  user_required: { status: 403, message: "This needs a signed-in user." },
  insufficient_scope: { status: 403, message: "The access token lacks a scope that this needs." },
  user_locked: { status: 403, message: "A locked user cannot create profiles." },
  user_offboarded: { status: 403, message: "An offboarded user cannot get new profiles." },
  guest_account_ended: { status: 403, message: "This guest account has ended." },
  not_found: { status: 404, message: "There is nothing at this address." },
  user_not_found: { status: 404, message: "There is no such user in this realm." },
  profile_not_found: { status: 404, message: "There is no such profile in this realm." },
  guest_account_not_found: { status: 404, message: "There is no such guest account in this realm." },
  issuance_not_found: { status: 404, message: "There is no such issuance." },
  session_not_found: { status: 404, message: "There is no such session." },
  consent_not_found: { status: 404, message: "The user has not consented to such an application." },
  job_not_found: { status: 404, message: "There is no such job in this realm." },
  application_not_found: { status: 404, message: "There is no such application in this realm." },
  token_not_found: { status: 404, message: "This application has no such token." },
  sign_in_draft_not_found: { status: 404, message: "No sign-in of this realm is being set up." },
  sign_in_test_not_found: { status: 404, message: "You have made no such test, or it has ended." },
  method_not_allowed: { status: 405, message: "This address does not have that method." },
  profile_limit_reached: { status: 409, message: "The owner has as many active profiles as the limit allows." },
  no_client_secret: { status: 409, message: "This application is registered without a client secret." },
  machine_scope_required: { status: 409, message: "Static tokens are for applications with the scope scim." },
  too_many_tokens: { status: 409, message: "This application has two static tokens. Delete one first." },
  key_already_certified: { status: 409, message: "This public key already has a certificate. Generate a new key." },
  user_forgotten: { status: 409, message: "This user was forgotten. If they come back, they are a new user." },
  last_administrator: {
    status: 409,
    message: "This is the realm's last administrator. Make somebody else an administrator first.",
  },
  role_from_provider: {
    status: 409,
    message: "The identity provider assigns and withdraws this role, for everybody who signs in through it.",
  },
  operator_required: {
    status: 409,
    message: "Only the operator changes this setting, with the command that is named.",
  },
  pairwise_in_use: {
    status: 409,
    message: "A directory has brought people, and knows them by the attribute that is set.",
  },
  sign_in_draft_untested: {
    status: 409,
    message: "These settings have not passed a test sign-in within the last hour.",
  },
  job_state: { status: 409, message: "The job is not in a state for this." },
  confirmation_required: {
    status: 409,
    message: "So many people or profiles would change that their number has to be confirmed: send it as confirmTotal.",
  },
  revocation_limit_reached: {
    status: 409,
    message: `Your roles let you revoke ${revocationsPerHourMax} profiles and guest accounts within an hour. An administrator can revoke more.`,
  },
  output_erased: { status: 410, message: "The output of this issuance has been erased." },
  precondition_failed: { status: 412, message: "This was changed since it was read. Read it again." },
  payload_too_large: { status: 413, message: "The request body is too large." },
  unsupported_media_type: { status: 415, message: "The request body must be application/json." },
  idempotency_key_reused: { status: 422, message: "This Idempotency-Key was used before with another request." },
  too_many_requests: { status: 429, message: "Too many requests; try again later." },
  too_many_rows_waiting: { status: 429, message: "Too many rows of this realm's jobs are waiting; try again later." },
  internal_error: { status: 500, message: "Something went wrong on our side." },
  issuance_failed: { status: 500, message: "The certificate could not be issued." },
  unavailable: { status: 503, message: "A part of the service is not available. Please try again shortly." },
  issuer_expiring: {
    status: 503,
    message: "The issuer ends before this profile would. The operator has to create a new issuer first.",
  },
  no_issuer: { status: 503, message: "This realm has no issuer. The operator has to create one first." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export const isErrorCode = (value: string): value is ErrorCode => Object.hasOwn(errorCatalogue, value);

/** A fault in a request, and where it is. */
export interface FieldError {
  path: string;
  reason: string;
}

export interface ServiceErrorOptions extends ErrorOptions {
  /**
   * For `invalid_request` the faults, for `operator_required` the command to run, for `confirmation_required` the
   * number to confirm.
   */
  fields?: readonly FieldError[];
  /** A sentence with more detail than the catalogue's, safe to show. */
  description?: string;
  /** For 429 and 503: after how many seconds to try again. */
  retryAfterSeconds?: number;
}

/** A failure whose details the caller may see. Any other error that is thrown is a bug or an outage. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(options.description ?? errorCatalogue[code].message, options);
    this.code = code;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}
