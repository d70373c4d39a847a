import type { Migration } from "./migration.ts";

/** OCSP answers about servers' certificates hold longer, so that servers can staple them. */
export const answersAboutServers: Migration = {
  name: "20261129-1100-answers-about-servers",
  up: `grant select (kind) on certificates to realmpass_responder;`,
};
