import { randomUUID } from "node:crypto";
import { z } from "zod";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { ProfileName } from "../../../domain/certificate/profile.ts";
import { languageOf } from "../../pages/language.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import type { PageHandler } from "../../pages/page-route.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { deviceOf, mayBeIPad, embeddedBrowserOf } from "../../resources/hand-over/browser-device.ts";
import { nameFor, suggestedName } from "../../resources/hand-over/device-name.ts";
import { offeredFormats } from "../../../domain/certificate/offered-formats.ts";
import { suits } from "../../resources/hand-over/formats.ts";
import { makeHandOver, type Delivery } from "./hand-over/make-hand-over.ts";
import { takeForm } from "./kept-form.ts";
import type { FindOwner, Owner } from "./owner.ts";
import { markRecipient } from "./hand-over/recipient.ts";
import { selfServiceTexts } from "./texts/self-service-texts.ts";
import { sendMiniBrowser } from "./views/mini-browser.tsx";
import { sendNewDevice, type NewDeviceFault, type NewDeviceFields } from "./views/new-device.tsx";

/** `GET …/devices/new`: asks for the kind of device and where it is. */
export const showNewDevice =
  (find: FindOwner): PageHandler =>
  async (page) => {
    const owner = await find(page);
    if (owner === undefined) return;
    const miniBrowser = embeddedBrowserOf(page.request);
    if (miniBrowser !== undefined && !page.query.has("anyway")) {
      sendMiniBrowser(page, owner.realm, miniBrowser);
      return;
    }
    markRecipient(page);
    const kept = takeForm(page, owner.of.userId);
    if (kept !== undefined) {
      askForDevice(page, owner, { deviceType: kept.deviceType, name: kept.name, format: kept.format });
      return;
    }
    const deviceType = deviceOf(page.request);
    askForDevice(page, owner, {
      deviceType,
      name: suggestedName(deviceType ?? "Other", owner.displayName ?? null, selfServiceTexts(languageOf(page))),
      format: null,
    });
  };

/** `POST …/devices/new`: creates a hand-over from the form. */
export const addDevice =
  (find: FindOwner): PageHandler =>
  async (page) => {
    const { deps, request, form } = page;
    const owner = await find(page);
    if (owner === undefined) return;
    const startAgain = `${owner.home}/devices/new`;
    const id = HandOverId.safeParse(form.get("hand_over"));
    const place = readPlace(form.get("place"));
    if (!verifyFormToken(deps, request, form.get("form_token"))) {
      sendProblem(page, "form_expired", { startAgain });
      return;
    }
    if (!id.success || place === undefined) {
      sendProblem(page, "bad_request", { startAgain });
      return;
    }

    const fields = readFields(page, owner);
    const faults = faultsOf(fields, owner);
    const { deviceType, name, format } = fields;
    if (faults.length > 0 || deviceType === undefined) {
      askForDevice(page, owner, fields, faults);
      return;
    }
    const wanted = { id: id.data, deviceType, format, renewsSerialNumber: null };
    const named = owner.displayName === undefined ? owner.profileName : nameFor(deviceType, name, owner.displayName);
    // Checked again when the profile is requested.
    if (owner.objection !== undefined) askForDevice(page, owner, fields);
    else await makeHandOver(page, owner, { ...wanted, name: named }, place);
  };

/** The id of a hand-over, drawn for the form that creates it. */
export const HandOverId = z.uuid().toLowerCase();

export const readPlace = (value: string | undefined): Delivery | undefined =>
  value === "here" || value === "elsewhere" ? value : undefined;

function readFields({ form }: PageRequest, owner: Owner): NewDeviceFields {
  const format = form.get("format");
  return {
    deviceType: DeviceType.safeParse(form.get("device_type")).data,
    name: owner.displayName === undefined ? owner.profileName : (form.get("name") ?? "").trim(),
    format: offeredFormats.find((offered) => offered === format) ?? null,
  };
}

function faultsOf({ deviceType, name, format }: NewDeviceFields, owner: Owner): NewDeviceFault[] {
  const wrongName = owner.displayName !== undefined && !ProfileName.safeParse(name).success;
  return [
    ...(deviceType === undefined ? (["device_type"] as const) : []),
    ...(wrongName ? (["name"] as const) : []),
    ...(format !== null && deviceType !== undefined && !suits(format, deviceType) ? (["format"] as const) : []),
  ];
}

function askForDevice(
  page: PageRequest,
  owner: Owner,
  fields: NewDeviceFields,
  faults: readonly NewDeviceFault[] = [],
): void {
  const { userId } = owner.of;
  const user = userId === null ? {} : { user: userId };
  const hidden = { form_token: formTokenFor(page.deps, page), hand_over: randomUUID(), ...user };
  sendNewDevice(page, owner, { fields, faults, hidden, mayBeIPad: mayBeIPad(page.request) });
}
