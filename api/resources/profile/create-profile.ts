import type { ProfileRequest } from "../../../db/operations/acceptance.ts";
import type { ProfileRefusal } from "../../../domain/certificate/entitlement.ts";
import { timed } from "../../../process/load-metrics.ts";
import { drawIssuanceId } from "../../../runtime/draw-ids.ts";
import type { Fail, IncomingCall } from "../../contract/endpoint.ts";
import { finishIssuance } from "../issuance/finish-issuance.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";
import type { Reply } from "../../contract/reply.ts";
import type { issuanceView } from "../../contract/views/issuance-view.ts";
import { createdProfileView, type CreatedProfileView } from "../../contract/views/profile-view.ts";
import * as profiles from "../../../db/operations/accept-profile.ts";
import { profileCreationErrors, type ProfileCreation } from "./profile-creation.ts";
import { requireAllowAuth } from "./require-allow-auth.ts";

type CreationCall = Pick<IncomingCall, "deps" | "prefer" | "change" | "requestId" | "concerns" | "log" | "signal"> & {
  principal: Principal;
  body: ProfileCreation;
  fail: Fail<(typeof profileCreationErrors)[number]>;
};

type IssuanceView = ReturnType<typeof issuanceView<CreatedProfileView>>;

/**
 * Creates a profile for a user of the principal's realm: locks the owner's row, accepts the request, lets a worker make
 * the profile, and replies with the outcome so far.
 */
export async function createProfileOf(
  userId: string,
  name: string,
  { principal, body, deps, prefer, change, requestId, concerns, log, signal, fail }: CreationCall,
): Promise<CreatedProfileView | Reply<CreatedProfileView | IssuanceView>> {
  const { realmId } = principal;
  const createdAt = deps.clock.now();
  let isNew = false;
  if (body.allowAuth) await requireAllowAuth(deps.db, { principal, userId });

  const accept = async (accepted: (wanted: ProfileRequest) => Promise<ProfileRefusal | undefined>) => {
    const id = drawIssuanceId();
    const wanted = { id, realmId, userId, name, ...body, actor: actorOf(principal), at: createdAt, requestId };
    const refusal = await accepted(wanted);
    if (refusal !== undefined) throw fail(refusal);
    isNew = true;
    return id;
  };
  const id = await timed(
    () =>
      change(
        (tx) => accept((wanted) => profiles.acceptProfile(tx, wanted)),
        () => accept(deps.acceptProfile),
      ),
    deps.metrics.issuanceStep("accept"),
  );

  const call = { deps, prefer, concerns, log, signal, errors: profileCreationErrors, fail };
  return finishIssuance({ id, isNew, createdAt, view: createdProfileView }, call);
}
