import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { SignedInOwner } from "../signed-in-owner.ts";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { sendSelfServicePage } from "./page.tsx";

/** A connected device must authenticate again within an hour: Session-Timeout, docs/radius. */
const offlineMinutesMax = 60;

export interface RevocationView {
  profile: Pick<Certificate, "name" | "serialNumber">;
  hidden: Readonly<Record<string, string>>;
}

/** Asks for confirmation before a profile is revoked, and explains what cannot be undone. */
export function sendRevocation(page: PageRequest, me: SignedInOwner, { profile, hidden }: RevocationView): void {
  const { realm, visitor, home } = me;
  const name = withoutBidiControls(profile.name);
  sendSelfServicePage(page, {
    realm,
    visitor,
    current: "devices",
    say: ({ revoke }) => ({
      title: revoke.title(name),
      body: (
        <div class="card">
          <p>{revoke.text(name, offlineMinutesMax)}</p>
          <p>{revoke.final}</p>
          <form method="post" class="pair">
            <Hidden fields={hidden} />
            <a class="button quiet" href={home}>
              {revoke.cancel}
            </a>
            <button class="danger">{revoke.submit}</button>
          </form>
        </div>
      ),
    }),
  });
}
