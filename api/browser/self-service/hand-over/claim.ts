import type { Claim, HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { deviceOf } from "../../../resources/hand-over/browser-device.ts";
import { formatFor } from "../../../resources/hand-over/formats.ts";
import { markRecipient } from "./recipient.ts";

/** Returns the claim of a hand-over by this browser, and marks the browser as the recipient. */
export const claimBy = (
  page: PageRequest,
  { deviceType, name, format }: { deviceType: DeviceType } & Pick<HandOver, "name" | "format">,
): Claim => ({
  deviceType,
  name,
  format: formatFor(deviceType, format),
  pickedUpBy: deviceOf(page.request) ?? deviceType,
  recipientHash: markRecipient(page),
});
