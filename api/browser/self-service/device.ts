import { randomUUID } from "node:crypto";
import * as replacement from "../../../db/operations/replacement.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import { isActive } from "../../../domain/certificate/entitlement.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { isRenewable } from "../../../domain/certificate/renewal.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { revokeOfUser } from "../../resources/profile/revoke-of-user.ts";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { redirect } from "../../pages/redirect.ts";
import { makeHandOver } from "./hand-over/make-hand-over.ts";
import { requireSignedIn, type SignedInOwner } from "./signed-in-owner.ts";
import { HandOverId, readPlace } from "./new-device.ts";
import type { Objection } from "../../resources/hand-over/accept-hand-over.ts";
import { markRecipient } from "./hand-over/recipient.ts";
import { sendDevice } from "./views/device.tsx";
import { sendRevocation } from "./views/revocation.tsx";
import { statusOf } from "./views/status.tsx";

interface Found {
  me: SignedInOwner;
  profile: Certificate;
}

/** `GET /me/devices/:serial`: shows one profile and what the user can do with it. */
export async function showDevice(page: PageRequest): Promise<void> {
  const found = await findOwn(page);
  if (found !== undefined) await describeDevice(page, found);
}

/** `GET /me/devices/:serial/revoke`: asks for confirmation. */
export async function askToRevoke(page: PageRequest): Promise<void> {
  const found = await findOwn(page);
  if (found === undefined) return;
  const { me, profile } = found;
  sendRevocation(page, me, { profile, hidden: { form_token: formTokenFor(page.deps, page) } });
}

/** `POST /me/devices/:serial/revoke`: revokes the profile, which cannot be undone. */
export async function revokeDevice(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  const found = await findOwn(page);
  if (found === undefined) return;
  const { me, profile } = found;
  const { serialNumber } = profile;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: `${me.home}/devices/${serialNumber}/revoke` });
    return;
  }
  const { principal } = me;
  const renewals = await issuances.listRenewalsOfUser(deps.db, { userId: principal.userId });
  const isReplaced = successorOf(profile, renewals) !== undefined;
  const reason = isReplaced ? revocationReasons.superseded : revocationReasons.unspecified;
  await deps.db.transaction((tx) => revokeOfUser(tx, { principal, serialNumber, reason, at: deps.clock.now() }));
  redirect(page, `${me.home}?revoked=${serialNumber}`);
}

/**
 * `POST /me/devices/:serial/renew`: creates a hand-over for a profile that replaces this one or, if this one was
 * already renewed, its latest successor.
 */
export async function renewDevice(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  const found = await findOwn(page);
  if (found === undefined) return;
  const { me, profile } = found;
  const id = HandOverId.safeParse(form.get("hand_over"));
  const place = readPlace(form.get("place"));
  if (!verifyFormToken(deps, request, form.get("form_token")) || !id.success || place === undefined) {
    sendProblem(page, "form_expired", { startAgain: `${me.home}/devices/${profile.serialNumber}` });
    return;
  }
  const deviceType = profile.deviceType ?? "Other";
  const { name, serialNumber } = profile;
  const renewed = { id: id.data, deviceType, name, format: null, renewsSerialNumber: serialNumber };
  // The same rules are checked again when the profile is requested.
  const objection = await replacement.replacementRefusal(deps.db, me.state, {
    ...{ realmId: me.principal.realmId, userId: me.principal.userId, renews: serialNumber },
    at: deps.clock.now(),
  });
  if (objection !== undefined) await describeDevice(page, found, objection);
  else await makeHandOver(page, me, renewed, place);
}

/** Returns the renewal that has replaced this profile. */
const successorOf = (profile: Certificate, renewals: readonly issuances.Renewal[]): issuances.Renewal | undefined =>
  renewals.find(({ certificateId, isUndone }) => certificateId === profile.id && !isUndone);

async function describeDevice(page: PageRequest, { me, profile }: Found, objection?: Objection): Promise<void> {
  const { deps } = page;
  const at = deps.clock.now();
  const renewals = await issuances.listRenewalsOfUser(deps.db, { userId: me.principal.userId });
  const renewal = successorOf(profile, renewals);
  markRecipient(page);
  sendDevice(page, me, {
    profile,
    objection,
    isActive: isActive(profile, at),
    status: statusOf(profile, { at, renewed: renewal !== undefined }),
    renewed: isActive(profile, at) && renewal !== undefined ? { endsAt: renewal.replacedEndsAt } : undefined,
    renewal:
      isActive(profile, at) && renewal === undefined
        ? {
            endsSoon: isRenewable(profile, at),
            hidden: { form_token: formTokenFor(deps, page), hand_over: randomUUID() },
          }
        : undefined,
  });
}

/** Returns the requested profile if it is the user's own; otherwise sends the response. */
async function findOwn(page: PageRequest): Promise<Found | undefined> {
  const me = await requireSignedIn(page);
  if (me === undefined) return undefined;
  const { realmId, userId } = me.principal;
  const serialNumber = SerialNumber.safeParse(page.request.params["serial"]);
  const profile = serialNumber.success
    ? await certificates.findOfUser(page.deps.db, { realmId, userId, serialNumber: serialNumber.data })
    : undefined;
  if (profile !== undefined) return { me, profile };
  sendProblem(page, "not_found", { startAgain: me.home });
  return undefined;
}
