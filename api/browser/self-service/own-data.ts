import * as users from "../../../db/queries/people/users.ts";
import { sendStream } from "../../contract/stream.ts";
import { contextOf } from "../../http/request-context.ts";
import { exportUser, ownSecondsMin } from "../../resources/user/user-data.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { requireSignedIn } from "./signed-in-owner.ts";

/** `GET /me/data`: sends all data held about the signed-in user, as a file. */
export async function downloadOwnData(page: PageRequest): Promise<void> {
  const me = await requireSignedIn(page);
  if (me === undefined) return;
  const { deps, response } = page;
  const { principal } = me;
  const { realmId, userId } = principal;
  const user = await users.find(deps.db, { realmId, userId, at: deps.clock.now() });
  if (user === undefined) throw new Error(`user ${userId} has gone`);
  const file = await exportUser(deps, { principal, user, isSelf: true });
  if (file === undefined) {
    sendProblem(page, "too_many_requests", { retryAfterSeconds: ownSecondsMin });
    return;
  }
  response.setHeader("Cache-Control", "no-store");
  await sendStream(response, file, { signal: contextOf(response).signal() });
}
