import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type { PageRealm } from "../../../pages/page-realm.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { DeviceChoice } from "./new-device.tsx";
import { sendSelfServicePage } from "./page.tsx";

export interface PickUpView {
  realm: PageRealm;
  /** The name of the profile. */
  name: string;
  /** The owner's name; undefined for a guest account or a user without a name. */
  from: string | undefined;
  deviceType: DeviceType;
  mayBeIPad: boolean;
  /** Whether the user sent the form without a kind of device. */
  isWrong: boolean;
  hidden: Readonly<Record<string, string>>;
}

/** Asks the user who opened a hand-over's link for the kind of device. The form posts to the page's own address. */
export function sendPickUp(page: PageRequest, view: PickUpView): void {
  const { realm, name, from, deviceType, mayBeIPad, isWrong, hidden } = view;
  sendSelfServicePage(page, {
    status: isWrong ? 400 : 200,
    realm,
    say: (texts) => ({
      title: texts.pickUp.title(withoutBidiControls(name)),
      body: (
        <form class="card" method="post">
          {isWrong && (
            <p class="alert" role="alert" tabindex={-1} autofocus id="wrong-device_type">
              {texts.add.wrongDeviceType}
            </p>
          )}
          <p>{texts.pickUp.of(realm.displayName)}</p>
          {from !== undefined && (
            <p>
              <span class="dim">{texts.pickUp.from}</span> <strong class="name">{from}</strong>
            </p>
          )}
          <DeviceChoice legend={texts.pickUp.deviceType} chosen={deviceType} texts={texts} isWrong={isWrong} />
          {mayBeIPad && <p class="dim">{texts.add.iPadHint}</p>}
          <button>{texts.pickUp.submit}</button>
          <p class="dim">{texts.pickUp.once}</p>
          <Hidden fields={hidden} />
        </form>
      ),
    }),
  });
}
