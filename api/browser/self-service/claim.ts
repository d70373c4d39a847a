import type { Claim, HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { DeviceType } from "../../../domain/device.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { deviceOf } from "./browser-device.ts";
import { formatFor } from "./formats.ts";
import { markRecipient } from "./recipient.ts";

/** What a hand-over becomes when the browser that asks claims it. */
export const claimBy = (
  page: PageRequest,
  { deviceType, name, format }: { deviceType: DeviceType } & Pick<HandOver, "name" | "format">,
): Claim => ({
  deviceType,
  name,
  format: formatFor(deviceType, format),
  pickedUpBy: deviceOf(page.request) ?? deviceType,
  pickerHash: markRecipient(page),
});
