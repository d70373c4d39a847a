import type { Migration } from "./migration.ts";

const formats = ["pkcs12", "pfx", "pem", "crt", "mobileconfig", "eap-config", "onc", "networkmanager", "iwd"]
  .map((format) => `'${format}'`)
  .join(", ");

const widened = (table: string): string => `
alter table ${table} drop constraint ${table}_format_check;
alter table ${table} add constraint ${table}_format_check check (format in (${formats})) not valid;
`;

/** Files for ChromeOS, NetworkManager and iwd. Workers of the release before refuse them: they are replaced first. */
export const smallerFiles: Migration = {
  name: "20261203-1310-smaller-files",
  up: widened("issuances"),
};

/** Hand-overs of such files. */
export const smallerFilesHandedOver: Migration = {
  name: "20261203-1311-smaller-files-handed-over",
  up: widened("hand_overs"),
};

const validated = (table: string): string => `alter table ${table} validate constraint ${table}_format_check;`;

/** Validates every row after the change that locked the table has committed; the table stays in use. */
export const smallerFilesValid: Migration = {
  name: "20261203-1312-smaller-files-valid",
  up: validated("issuances"),
};

export const smallerFilesHandedOverValid: Migration = {
  name: "20261203-1313-smaller-files-handed-over-valid",
  up: validated("hand_overs"),
};
