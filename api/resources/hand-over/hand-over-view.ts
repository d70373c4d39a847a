import { z } from "zod";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { Deps } from "../../contract/deps.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";
import { tokenOfHandOver } from "./hand-over-token.ts";
import { shortCodeOf } from "./short-code.ts";

/** The path of the page where users type short codes, below the authorization server's address. */
export const shortCodePath = "/code";

/** A hand-over as its maker sees it: the permission for one device to set itself up. */
export const HandOverView = z
  .object({
    id: z.uuid(),
    code: z
      .string()
      .meta({ example: "7K3Q-X9PT" })
      .describe("To read out, and to type at `page`: in any letter case, with or without the hyphen."),
    page: z.url().describe("Where the code is typed. It is the same for everybody."),
    link: z.url().describe("Leads to the same as the code."),
    expiresAt: Timestamp.describe("Until then one device can claim it, once."),
  })
  .meta({ id: "HandOver" });
export type HandOverView = z.infer<typeof HandOverView>;

/** Returns the link and the short code of a hand-over. */
export const handOverView = (
  { masterKeys, settings }: Pick<Deps, "masterKeys" | "settings">,
  handOver: Pick<HandOver, "id" | "tokenHash" | "codeHash" | "expiresAt">,
): HandOverView => ({
  id: handOver.id,
  code: shortCodeOf({ masterKeys }, handOver),
  page: `${settings.authUrl}${shortCodePath}`,
  link: `${settings.authUrl}/d/${tokenOfHandOver({ masterKeys }, handOver)}`,
  expiresAt: handOver.expiresAt.toISOString(),
});
