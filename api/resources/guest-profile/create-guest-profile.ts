import { drawIssuanceId } from "../../../runtime/draw-ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { finishIssuance } from "../issuance/finish-issuance.ts";
import { certificateCreationErrors, DeviceProfileCreation } from "../profile/profile-creation.ts";
import { CreatedGuestProfileView, createdGuestProfileView } from "../../contract/views/guest-profile-view.ts";
import { issuanceViewOf } from "../../contract/views/issuance-view.ts";
import { acceptGuestProfile } from "./accept-guest-profile.ts";

/** Every way in which the creation of a guest's profile can fail. */
const guestProfileCreationErrors = [
  "guest_account_ended",
  "profile_limit_reached",
  ...certificateCreationErrors,
] as const;

export const createGuestProfile = endpoint({
  operation: "createGuestProfile",
  summary: "Create a profile under the guest account of the token",
  description: "It ends with the account at the latest. `allowAuth` is accepted and ignored.",
  method: "post",
  path: "/api/guest-profile",
  access: "guest",
  body: DeviceProfileCreation,
  data: CreatedGuestProfileView,
  pending: issuanceViewOf(CreatedGuestProfileView),
  errors: guestProfileCreationErrors,
  changes: true,

  async handle({ principal, body, deps, prefer, change, requestId, concerns, log, signal, fail }) {
    const { realmId, guestAccountId } = principal;
    const createdAt = deps.clock.now();
    let isNew = false;

    const id = await change(async (tx) => {
      const issuanceId = drawIssuanceId();
      const wanted = { id: issuanceId, realmId, guestAccountId, ...body, at: createdAt, requestId };
      const refusal = await acceptGuestProfile(tx, wanted);
      if (refusal !== undefined) throw fail(refusal);
      isNew = true;
      return issuanceId;
    });

    return finishIssuance(
      { id, isNew, createdAt, view: createdGuestProfileView },
      { deps, prefer, concerns, log, signal, errors: guestProfileCreationErrors, fail },
    );
  },
});
