import { z } from "zod";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { UploadedLogo } from "../../../db/queries/realm/realms.ts";
import { logoBytesMax } from "../../../domain/limits.ts";
import { logoFaults } from "../../../domain/realm-logo.ts";
import type { Deps } from "../../contract/deps.ts";
import { endpoint } from "../../contract/endpoint.ts";
import type { Principal } from "../../contract/principal.ts";
import { uploaded } from "../../contract/upload.ts";
import { readLogo } from "./read-logo.ts";
import { recordRealmUpdate } from "./record-realm-update.ts";

const path = "/api/realm/logo";

const RealmLogoView = z
  .object({
    uploaded: z
      .string()
      .nullable()
      .describe(
        "SHA-256 of the uploaded picture, in hexadecimal digits. Pages show it instead of `logoURI`; null: none is.",
      ),
  })
  .meta({ id: "RealmLogo" });

export const getRealmLogo = endpoint({
  operation: "getRealmLogo",
  summary: "The uploaded logo of the current realm",
  description: "The picture itself is public, at `/realms/{realmName}/logo`.",
  method: "get",
  path,
  access: "staff",
  scope: "realm.read",
  data: RealmLogoView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db } }) {
    const realm = await realms.findById(db, realmId);
    return { uploaded: realm?.uploadedLogo ?? null };
  },
});

const picture = z.string().describe("The file as it is.");

export const uploadRealmLogo = uploaded({
  operation: "uploadRealmLogo",
  summary: "Upload the logo of the current realm",
  description:
    `A PNG or SVG file of up to ${logoBytesMax / 1024} KiB, whose bytes are checked. An SVG is a still picture: without ` +
    "scripts, event attributes, animation, `foreignObject`, entities, imports and references outside of the file; " +
    "pictures in it are PNG. " +
    `\`fields\` has the reason of a refusal; its \`path\` is one of ${Object.keys(logoFaults).join(", ")}.`,
  method: "put",
  path,
  access: "staff",
  scope: "realm.modify",
  query: z.object({}),
  data: RealmLogoView,
  types: { "image/png": { schema: picture }, "image/svg+xml": { schema: picture } },
  bytesMax: logoBytesMax,
  errors: ["invalid_request"],

  async handle({ upload, principal, deps, fail }) {
    const chunks: Buffer[] = [];
    for await (const chunk of upload.bytes) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const read = readLogo(bytes);
    if ("fault" in read) {
      throw fail("invalid_request", { fields: [{ path: read.fault, reason: logoFaults[read.fault] }] });
    }
    return replaceLogo({ type: read.type, bytes }, principal, deps);
  },
});

export const removeRealmLogo = endpoint({
  operation: "removeRealmLogo",
  summary: "Remove the uploaded logo of the current realm",
  description: "Pages then show the logo at `logoURI`, if there is one.",
  method: "delete",
  path,
  access: "staff",
  scope: "realm.modify",
  data: RealmLogoView,
  errors: [],

  handle: ({ principal, deps }) => replaceLogo(null, principal, deps),
});

/**
 * Replaces the logo, or removes it if the new one is null. If the logo changes, records the digests in the audit log.
 */
function replaceLogo(
  logo: UploadedLogo | null,
  principal: Principal,
  { db, clock }: Pick<Deps, "db" | "clock">,
): Promise<{ uploaded: string | null }> {
  const { realmId } = principal;
  return db.transaction(async (tx) => {
    const before = await realms.lock(tx, realmId);
    const after = await realms.setUploadedLogo(tx, realmId, logo);
    await recordRealmUpdate(tx, {
      principal,
      at: clock.now(),
      before: { uploadedLogo: before.uploadedLogo },
      after: { uploadedLogo: after.uploadedLogo },
    });
    return { uploaded: after.uploadedLogo };
  });
}
