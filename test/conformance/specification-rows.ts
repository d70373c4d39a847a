/**
 * The tables of the service specification, row by row and cell by cell, without their headings and marks. The
 * specification has prose in section 2.8; here its fields and values are rows.
 */
export const specification = {
  /** Client application (registered in the console) */
  "2.1": [
    ["application type", "useragent or service"],
    ["activate client", "switch; must be on"],
    [
      "name",
      "for a useragent it is shown to all users during authentication; for a service it is visible only to administrators and the operator",
    ],
    ["client uri", "URI that resolves to the client making the API calls"],
    ["redirect uri", "useragent only; where the user returns after authentication"],
    ["scopes", "chosen at registration; a service cannot select openid or offline_access"],
    ["use client secret", "optional switch for a useragent; a service always has a secret"],
    ["client_id", "issued at creation; shown on every visit to the application page"],
    ["client_secret", "issued at creation; displayed only once"],
  ],
  /** Token responses */
  "2.2": [
    [
      "authorization code exchange",
      "access_token, id_token, refresh_token, token_type (value Bearer), code (5 properties)",
    ],
    ["refresh", "access_token, id_token, token_type (3 properties)"],
    ["client credentials", "access_token, token_type (2 properties)"],
  ],
  /** Guest account */
  "2.3": [
    ["id", "string"],
    ["name", "string"],
    ["creationDate", "timestamp"],
    ["expirationDate", "timestamp"],
    ["note", "string or null"],
    ["profileLimit", "integer or null"],
    ["revoked", "boolean"],
    ["activeProfileCount", "integer"],
  ],
  /** Profile (user profile) */
  "2.4": [
    ["serial", "string"],
    ["name", "string"],
    ["revokeReason", "integer or null (null when not revoked)"],
    ["revokeTime", "timestamp or null"],
    ["creationTime", "timestamp"],
    ["expirationTime", "timestamp"],
    ["authable", "boolean; whether the profile may authenticate with the API"],
    [
      "lastLogin",
      "timestamp; a placeholder for future functionality that does not reflect the last use of the certificate",
    ],
    ["deviceType", "string, one of the device types below"],
    ["owner", "string"],
  ],
  /** Guest profile */
  "2.5": [
    ["serial", "string"],
    ["deviceType", "string"],
    ["creationDate", "timestamp"],
    ["revokeDate", "timestamp or null"],
    ["revokeReason", "integer or null"],
    ["lastOcsp", "timestamp or null"],
    ["accountId", "string (the guest account)"],
  ],
  /** Infrastructure profile */
  "2.6": [
    ["serial", "string"],
    ["name", "string"],
    ["description", "string or null"],
    ["creationDate", "timestamp"],
    ["expirationDate", "timestamp"],
    ["revokeDate", "timestamp or null"],
    ["lastOcsp", "timestamp or null"],
  ],
  /** User */
  "2.7": [
    ["userID", "string"],
    ["pairwiseID", "string"],
    ["email", "string"],
    ["locked", "boolean"],
    ["creationTime", "timestamp"],
    ["realmID", "string"],
    ["profileOverride", "integer"],
    ["maxProfiles", "integer"],
    ["profileCount", "integer"],
    ["blacklisted", "boolean"],
    ["blacklistDate", "timestamp or null"],
    ["lockDate", "timestamp or null"],
  ],
  /** Realm */
  "2.8 realm": [
    ["realmName", "string"],
    ["displayName", "string"],
    ["logoURI", "string"],
    ["maxProfiles", "integer"],
    ["maxValid", "integer"],
  ],
  /** Audit log entry */
  "2.8 audit log entry": [
    ["id", "string"],
    ["date", "timestamp"],
    ["event", "string"],
    ["properties", "string"],
    ["realm", "integer"],
    ["user", "integer or null"],
    ["client", "string or null"],
  ],
  /** format (profile creation), case insensitive */
  "2.8 format": [["pkcs12"], ["pfx"], ["pem"], ["crt"]],
  /** deviceType, case sensitive */
  "2.8 deviceType": [["MacOS"], ["iOS"], ["iPadOS"], ["Android"], ["Windows"], ["Linux"], ["ChromeOS"], ["Other"]],
  /** States and transitions */
  "3": [
    [
      "user",
      "DELETE /api/user/{userID}",
      "administrator",
      "offboarded",
      "the user can no longer log in; all the user's profiles are revoked; response data is true",
    ],
    [
      "user (offboarded)",
      "PUT /api/user/{userID}/undelete",
      "administrator",
      "active (user may log in again)",
      "revoked profiles are not restored; profile changes are permanent; response data is true",
    ],
    [
      "user",
      "PUT /api/user/{userID}/status with locked true",
      "administrator",
      "locked",
      "the user cannot generate new profiles, can still log in and manage existing profiles; response true",
    ],
    ["user (locked)", "PUT /api/user/{userID}/status with locked false", "administrator", "unlocked", "response true"],
    ["guest profile", "DELETE /api/guest-profile/{profileSerial}", "administrator", "revoked", "response data is true"],
    ["any profile", "creation endpoints", "see section 4", "active", "a new profile is returned"],
  ],
  /** Authorization server endpoints (on `{auth_url}`) */
  "4.1": [
    [
      "GET",
      "/oauth/authorize",
      "query: response_type (value code), client_id, redirect_uri, scope (space separated); recommended: PKCE parameters and state",
      "redirect to the redirect uri with code and, if sent, state; some errors redirect with error and error_description",
    ],
    ["POST", "/oauth/token", "form (application/x-www-form-urlencoded, not JSON)", "JSON token response, see below"],
    [
      "GET",
      "/oauth/logout",
      "query: id_token, client_id, logout_uri",
      "deletes the session tied to the id token, redirects to logout_uri",
    ],
  ],
  /** Token request forms */
  "4.1 grants": [
    [
      "authorization_code",
      "client_id, code, redirect_uri; code_verifier when PKCE was used in the authorization request",
      "5 properties (2.2)",
    ],
    ["refresh_token", "client_id, refresh_token", "3 properties (2.2)"],
    ["client_credentials", "client_id, client_secret", "2 properties (2.2)"],
  ],
  /** API endpoints */
  "4.2": [
    [
      "GET, POST",
      "/api/guest-accounts",
      "yes",
      "paginated",
      "array of guest accounts; search matches names containing the string",
    ],
    ["GET", "/api/guest-accounts/{guestAccountId}", "yes", "none", "one guest account"],
    ["GET", "{auth_url}/api/guest-token/{guestAccountId}", "yes", "none", "string: the guest account token"],
    [
      "GET, POST",
      "/api/guest-accounts/{guestAccountId}/profiles",
      "yes",
      "paginated",
      "array of guest profiles; search matches serials containing the string",
    ],
    ["DELETE", "/api/guest-profile/{profileSerial}", "yes", "none", "true"],
    [
      "POST",
      "/api/guest-profile",
      "only in a guest account context; any other account type gets an error",
      "JSON format (string, required), deviceType (string, required)",
      "guest profile with creation output",
    ],
    ["GET", "/api/user/{userID}/profiles (first form)", "yes", "none; not paginated", "array of profiles"],
    [
      "GET, POST",
      "/api/user/{userID}/profiles (version 2)",
      "yes",
      "paginated",
      "array of profiles; search matches serials containing the string",
    ],
    [
      "POST",
      "/api/user/{userID}/profiles/{profileName}",
      "yes",
      "JSON format, allowAuth (boolean), deviceType",
      "profile with creation output",
    ],
    ["GET, POST", "/api/profiles", "yes", "paginated", "array of active profiles of the realm; search matches serials"],
    ["GET", "/api/profiles/{serial}", "yes", "none", "one profile"],
    ["GET", "/api/profile", "not marked", "none", "array of the current user's active profiles"],
    ["GET", "/api/profile/{serial}", "not marked", "none", "one profile of the current user"],
    [
      "POST",
      "/api/profile/{name}",
      "not marked",
      "JSON format, allowAuth (boolean, example default false), deviceType; {name} is chosen by the caller",
      "profile with creation output",
    ],
    ["GET, POST", "/api/user", "yes", "paginated", "array of users; search matches pairwiseID containing the string"],
    ["GET", "/api/user/{userID}", "not marked", "none", "one user"],
    ["DELETE", "/api/user/{userID}", "yes", "none", "true (offboard)"],
    ["PUT", "/api/user/{userID}/undelete", "yes", "none", "true"],
    ["PUT", "/api/user/{userID}/status", "yes", "JSON {locked: boolean}", "true"],
    ["GET", "/api/realm", "not marked", "none", "realm entity"],
    ["PUT", "/api/realm", "yes", "JSON displayName, logoURI, maxProfiles, maxValid", "true"],
    [
      "POST",
      "/api/infrastructure-profile/{name}",
      "yes",
      "JSON format (string), validityMonths (integer, 12 to 60), description (string or null); {name} chosen by the caller",
      "infrastructure profile with creation output",
    ],
    [
      "GET, POST",
      "/api/infrastructure-profile",
      "yes",
      "paginated",
      "array of infrastructure profiles; search matches name or serial containing the string",
    ],
    ["GET, POST", "/api/audit", "yes", "paginated", "array of audit entries"],
  ],
  /** Rules */
  "4.2 rules": [
    [
      "When format is one of the listed values (any letter case), creation succeeds and returns the chosen output shape. The deviceType value is matched case sensitively.",
    ],
    ["The guest-profile creation in the table is only valid in a guest account context."],
    [
      "Offboarding, reactivating and locking respond with true on success, otherwise with the default API error response.",
    ],
  ],
  /** Limits */
  "8": [
    ["access token validity", "30 minutes"],
    ["realm maxProfiles", "at most 100"],
    ["realm maxValid", "at most 24"],
    ["infrastructure profile validityMonths", "12 minimum, 60 maximum (months)"],
    ["guest account profileLimit", "integer or null (null has no stated meaning beyond the type)"],
  ],
} as const satisfies Record<string, readonly (readonly string[])[]>;

export type Section = keyof typeof specification;
