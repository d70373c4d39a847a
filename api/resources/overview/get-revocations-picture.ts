import * as revocationTimes from "../../../db/queries/certificates/revocation-times.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  RevocationsPictureView,
  revocationsPictureView,
  type RevocationsPicture,
} from "../../contract/views/pictures/revocations-picture-view.ts";
import { overviewAgeSecondsMax } from "./count-overview.ts";
import { keptCounts } from "./kept-counts.ts";

export const getRevocationsPicture = endpoint({
  operation: "getRevocationsPicture",
  summary: "The latest revocations, and when the network learned of them",
  description:
    "The last 50 revocations of users' profiles: when each was on a published list, and when a RADIUS server first got the answer that it is revoked; up to 5 s old.",
  method: "get",
  path: "/api/overview/revocations",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read"],
  data: RevocationsPictureView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock } }) {
    const picture = await kept(db, realmId, async () => ({
      at: clock.now(),
      revocations: await revocationTimes.listLatest(db, { realmId, limit: revocationsShown }),
    }));
    return revocationsPictureView(picture);
  },
});

const kept = keptCounts<RevocationsPicture>({ keptSeconds: overviewAgeSecondsMax });

const revocationsShown = 50;
