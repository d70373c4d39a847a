import { z } from "zod";
import { signInAttemptSeconds } from "../../../domain/lifetimes.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { offeredFormats } from "../../../domain/certificate/offered-formats.ts";
import { readCookie, removeCookie } from "../../pages/cookies.ts";
import { verifyFormToken } from "../../pages/form-token.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { readSealedCookie, setSealedCookie } from "../../pages/sealed-cookie.ts";

/** The input of the form for a new device, and its user. */
const KeptForm = z.object({
  userId: z.string(),
  deviceType: DeviceType.optional().catch(undefined),
  name: z.string(),
  format: z.enum(offeredFormats).nullable().catch(null),
  expiresAt: z.number(),
});
type KeptForm = z.output<typeof KeptForm>;

const name = "new-device";

/** The path of the page with the form for a new device. */
export const newDevicePath = "/me/devices/new";

/**
 * Keeps the input of the form for a new device while its user signs in again, sealed in the browser. Returns the page
 * to continue at; undefined for a request that is not this form from this browser.
 */
export function keepForm({ deps, request, response, form }: PageRequest): string | undefined {
  const isForm = request.method === "POST" && request.path === newDevicePath;
  if (!isForm || !verifyFormToken(deps, request, form.get("form_token"))) return undefined;
  const content = KeptForm.safeParse({
    userId: form.get("user"),
    deviceType: form.get("device_type"),
    name: form.get("name") ?? "",
    format: form.get("format"),
    expiresAt: deps.clock.now().getTime() + signInAttemptSeconds * 1_000,
  }).data;
  if (content !== undefined) setSealedCookie(deps, response, { name, content, maxAgeSeconds: signInAttemptSeconds });
  return newDevicePath;
}

/** Removes the kept input and returns it; undefined if it has expired or was kept for another user. */
export function takeForm({ deps, request, response }: PageRequest, userId: string | null): KeptForm | undefined {
  if (readCookie(deps, request, name) === undefined) return undefined;
  removeCookie(deps, response, name);
  const kept = readSealedCookie(deps, request, { name, content: KeptForm });
  if (kept?.userId !== userId) return undefined;
  return kept.expiresAt > deps.clock.now().getTime() ? kept : undefined;
}
