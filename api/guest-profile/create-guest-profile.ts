import { randomUUID } from "node:crypto";
import * as issuances from "../../db/queries/issuances.ts";
import type { LockedGuestAccount } from "../../db/queries/issuances.ts";
import { keyTypeFor } from "../../domain/device.ts";
import { endOfGuestProfile, hasEnded } from "../../domain/guest-account.ts";
import { endpoint } from "../endpoint.ts";
import { finishIssuance } from "../issuance/finish-issuance.ts";
import { actorOf } from "../principal.ts";
import { addMonths, certificateCreationErrors, DeviceProfileCreation } from "../profile/profile-creation.ts";
import { CreatedGuestProfileView, createdGuestProfileView } from "../views/guest-profile-view.ts";
import { issuanceViewOf } from "../views/issuance-view.ts";

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
  errors: ["guest_account_ended", "profile_limit_reached", ...certificateCreationErrors],
  changes: true,

  async handle({ principal, body, deps, prefer, change, log, signal, fail }) {
    const { realmId, guestAccountId } = principal;
    const createdAt = deps.clock.now();
    let isNew = false;

    const id = await change(async (tx) => {
      const account = await issuances.lockGuestAccount(tx, { realmId, guestAccountId, at: createdAt });
      const objection = objectionTo(account, createdAt);
      if (account === undefined || objection !== undefined) throw fail(objection ?? "guest_account_ended");
      isNew = true;
      const issuanceId = randomUUID();
      await issuances.create(tx, {
        id: issuanceId,
        realmId,
        kind: "guest",
        userId: null,
        guestAccountId,
        name: profileNameOf(account),
        description: null,
        deviceType: body.deviceType,
        format: body.format,
        keyType: keyTypeFor(body, account),
        csr: body.csr ?? null,
        authable: false,
        validityMonths: account.maxValidMonths,
        at: createdAt,
        actor: actorOf(principal),
      });
      return issuanceId;
    });

    return finishIssuance({ id, isNew, createdAt, view: createdGuestProfileView }, { deps, prefer, log, signal });
  },
});

/** Why a guest account gets no further profile now; undefined when nothing stands against it. */
function objectionTo(
  account: LockedGuestAccount | undefined,
  at: Date,
): "guest_account_ended" | "profile_limit_reached" | "no_issuer" | "issuer_expiring" | undefined {
  if (account === undefined || hasEnded(account, at)) return "guest_account_ended";
  if (account.limit !== null && account.count >= account.limit) return "profile_limit_reached";
  if (account.issuerNotAfter === null) return "no_issuer";
  const end = endOfGuestProfile(addMonths(at, account.maxValidMonths), account);
  return end > account.issuerNotAfter ? "issuer_expiring" : undefined;
}

const profileNameLengthMax = 64;

/** Guests choose no names: what devices show is the account's. */
const profileNameOf = ({ name }: LockedGuestAccount): string =>
  Array.from(name).slice(0, profileNameLengthMax).join("");
