/** Errors sent to an application's redirect URI (RFC 6749 section 4.1.2.1, OpenID Connect Core 3.1.2.6). */
const descriptions = {
  invalid_request: "The request is missing a parameter, repeats one, or is otherwise malformed.",
  unsupported_response_type: "The only response_type is code.",
  invalid_scope: "The client is not registered for a scope that it asks for.",
  access_denied: "The person did not allow it.",
  login_required: "Nobody is signed in.",
  consent_required: "The person has not allowed this yet.",
  request_not_supported: "Request objects are not supported.",
  request_uri_not_supported: "Request objects are not supported.",
  registration_not_supported: "The parameter registration is not supported.",
} as const;

export type AuthorizationErrorCode = keyof typeof descriptions;
export const authorizationErrorCodes = Object.keys(descriptions) as AuthorizationErrorCode[];

/** An error to send to the redirect URI. Thrown only once that URI is known to be registered. */
export class AuthorizationError extends Error {
  override readonly name = "AuthorizationError";
  readonly code: AuthorizationErrorCode;
  constructor(code: AuthorizationErrorCode, description: string = descriptions[code]) {
    super(description);
    this.code = code;
  }
}
