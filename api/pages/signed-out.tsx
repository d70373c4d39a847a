import { pathOn } from "./continue-to.ts";
import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { withoutBidiControls } from "./without-bidi-controls.ts";
import { sendPage } from "./send-page.tsx";

export interface SignedOutView {
  realm?: PageRealm | undefined;
  /** The application that the user has signed out of; undefined if none is known. */
  application?: { name: string; clientUri: string } | undefined;
}

/** Confirms the sign-out. */
export function sendSignedOut(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { realm, application }: SignedOutView,
): void {
  const back = application !== undefined && /^https?:\/\//i.test(application.clientUri) ? application : undefined;
  sendPage(page, {
    status: 200,
    realm,
    say: (texts) => ({
      title: texts.signedOut.title,
      body: (
        <>
          {application !== undefined && <p>{texts.signedOut.ofApplication(withoutBidiControls(application.name))}</p>}
          <p>{texts.signedOut.text}</p>
          {back !== undefined && (
            <a class="button" href={back.clientUri}>
              {texts.signedOut.backTo(withoutBidiControls(back.name))}
            </a>
          )}
          <a class={back === undefined ? "button" : "button quiet"} href={pathOn(page.deps, "/login")}>
            {texts.signedOut.signInAgain}
          </a>
        </>
      ),
    }),
  });
}
