import { createRole } from "./20261121-0940-roles.ts";
import type { Migration } from "./migration.ts";

/** OCSP is answered by processes of their own, with a role that reads no issuer key. */
export const responderRole: Migration = {
  name: "20261123-1000-responder-role",
  up: createRole("realmpass_responder"),
};
