import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface SignedInView {
  realm: PageRealm | undefined;
  /** The signed-in user's name, as they know it. */
  person: string;
  /** The address that shows this page. */
  address: string;
  /** The address of the user's devices. */
  devices: string;
  /** The address of the console; undefined for a user without a role. */
  administration: string | undefined;
  /** The sign-out form's action and hidden fields. */
  signOut: { action: string; hidden: Readonly<Record<string, string>> };
  /** Where to sign in as another user. */
  notYou: string;
}

/** Shows which user is signed in to the browser. */
export function sendSignedIn(page: Pick<PageRequest, "deps" | "request" | "response">, view: SignedInView): void {
  const { realm, person, address, devices, administration, signOut, notYou } = view;
  sendPage(page, {
    status: 200,
    realm,
    address,
    say: (texts) => ({
      title: texts.signedIn.title,
      body: (
        <>
          <div class="account">
            <p>
              <span class="dim">{texts.signedIn.as}</span>
              <br />
              <strong class="name">{person}</strong>
            </p>
          </div>
          <a class="button" href={devices}>
            {texts.signedIn.devices}
          </a>
          {administration !== undefined && (
            <a class="button quiet" href={administration}>
              {texts.signedIn.administration}
            </a>
          )}
          <form method="post" action={signOut.action}>
            {Object.entries(signOut.hidden).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <button class="quiet">{texts.signedIn.signOut}</button>
          </form>
          <a class="button quiet" href={notYou}>
            {texts.signedIn.notYou}
          </a>
        </>
      ),
    }),
  });
}
