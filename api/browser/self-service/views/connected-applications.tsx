import type { Consent } from "../../../../db/queries/oauth/consents.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import { pageTexts } from "../../../pages/texts/page-texts.ts";
import type { SignedInOwner } from "../signed-in-owner.ts";
import { filled } from "../../../pages/parts/times.tsx";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { Notice } from "./notice.tsx";
import { sendSelfServicePage } from "./page.tsx";

export interface ConnectedApplicationsView {
  consents: readonly Consent[];
  hasWithdrawn: boolean;
  hidden: Readonly<Record<string, string>>;
}

/** Lists the applications that may act for the user, in plain sentences, each with a button to withdraw consent. */
export function sendConnectedApplications(page: PageRequest, me: SignedInOwner, view: ConnectedApplicationsView): void {
  const { consents, hasWithdrawn, hidden } = view;
  sendSelfServicePage(page, {
    realm: me.realm,
    visitor: me.visitor,
    current: "applications",
    say: ({ applications: texts }, language, times) => ({
      title: texts.title,
      body: (
        <>
          {hasWithdrawn && <Notice>{texts.withdrawn}</Notice>}
          <p>{consents.length === 0 ? texts.empty : texts.intro}</p>
          <ul class="devices">
            {consents.map(({ clientId, clientName, scopes, grantedAt }) => (
              <li class="card">
                <h2>{withoutBidiControls(clientName)}</h2>
                <p class="dim">{filled(texts.since, times.day(grantedAt))}</p>
                <p>{texts.mayDo}</p>
                <ul class="scopes">
                  {scopes.map((scope) => (
                    <li>{pageTexts(language).scopes[scope]}</li>
                  ))}
                </ul>
                <form method="post" action={`${me.home}/apps/${encodeURIComponent(clientId)}/withdraw`}>
                  <Hidden fields={hidden} />
                  <button class="quiet" aria-label={texts.withdrawNamed(withoutBidiControls(clientName))}>
                    {texts.withdraw}
                  </button>
                </form>
              </li>
            ))}
          </ul>
        </>
      ),
    }),
  });
}
