import * as consents from "../../../db/queries/oauth/consents.ts";
import { ClientID } from "../../../domain/ids.ts";
import { withdraw } from "../../resources/consent/withdraw.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { redirect } from "../../pages/redirect.ts";
import { requireSignedIn } from "./signed-in-owner.ts";
import { sendConnectedApplications } from "./views/connected-applications.tsx";

/** `GET /me/apps`: lists the applications that may act for the signed-in user. */
export async function showConnectedApplications(page: PageRequest): Promise<void> {
  const me = await requireSignedIn(page);
  if (me === undefined) return;
  sendConnectedApplications(page, me, {
    consents: await consents.listOfUser(page.deps.db, { userId: me.principal.userId }),
    hasWithdrawn: page.query.has("withdrawn"),
    hidden: { form_token: formTokenFor(page.deps, page) },
  });
}

/** `POST /me/apps/:client_id/withdraw`: withdraws the consent; also succeeds if repeated. */
export async function withdrawApplication(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  const me = await requireSignedIn(page);
  if (me === undefined) return;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: `${me.home}/apps` });
    return;
  }
  const clientId = ClientID.safeParse(request.params["client_id"]);
  if (clientId.success) {
    const { principal } = me;
    await deps.db.transaction((tx) => withdraw(tx, { principal, clientId: clientId.data, at: deps.clock.now() }));
  }
  redirect(page, `${me.home}/apps?withdrawn=true`);
}
