import { onboardingApps } from "../../../domain/onboarding-apps.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendPage } from "../../pages/send-page.tsx";

interface AppsBase {
  realm: RealmRow;
  /** The realm's address for apps, with its scheme. */
  base: string;
  /** The path of My devices. */
  devices: string;
}

/** Returns an address without its scheme and final slash, as users type it into an app. */
const typed = (base: string): string => base.replace(/^https?:\/\//, "").replace(/\/$/, "");

const stores = onboardingApps.flatMap((app) => app.stores);

/** Explains how to set up a device with an app, to people who open the apps' address in a browser. */
export function sendAppsBase(page: PageRequest, { realm, base, devices }: AppsBase): void {
  sendPage(page, {
    status: 200,
    realm,
    address: "?",
    say: ({ apps }) => ({
      title: apps.title,
      body: (
        <>
          <ol class="steps">
            <li>
              {apps.install}
              <ul class="stores">
                {stores.map(({ name, uri }) => (
                  <li>
                    <a class="link" href={uri} rel="noopener">
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </li>
            <li>
              {realm.appsListing === "" ? apps.type : apps.search}{" "}
              <strong class="name">{realm.appsListing === "" ? typed(base) : realm.appsListing}</strong>
            </li>
            <li>{apps.finish}</li>
          </ol>
          <a class="button quiet" href={devices}>
            {apps.without}
          </a>
        </>
      ),
    }),
  });
}
