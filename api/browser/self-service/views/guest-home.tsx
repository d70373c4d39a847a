import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { Guest } from "../guest.ts";
import { AddDevice } from "./devices.tsx";
import { DevicesPicture } from "./device-icon.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { Usage } from "./usage.tsx";

/** Shows a guest account: its name, its realm, its end, its usage, and the way to add a device. */
export function sendGuestHome(page: PageRequest, guest: Guest): void {
  const { realm, account, objection, limit, count, home } = guest;
  sendSelfServicePage(page, {
    realm,
    say: (texts, language, times) => ({
      title: texts.guest.title(withoutBidiControls(account.name)),
      body: (
        <>
          {objection !== undefined && (
            <ObjectionBanner
              realm={realm}
              language={language}
              objection={objection}
              limit={limit}
              isGuest
              texts={texts}
            />
          )}
          <div class="card empty">
            <DevicesPicture />
            <p>
              <strong>{texts.guest.of(realm.displayName)}</strong>
            </p>
            <p>{texts.guest.intro}</p>
            <dl>
              <dt>{texts.guest.until}</dt>
              <dd>{times.end(account.expiresAt)}</dd>
              {limit === null && (
                <>
                  <dt>{texts.guest.used}</dt>
                  <dd>{texts.guest.unlimited(count)}</dd>
                </>
              )}
            </dl>
            <Usage count={count} limit={limit} texts={texts.guest.usage} />
            <AddDevice home={home} isOff={objection !== undefined} texts={texts} />
          </div>
        </>
      ),
    }),
  });
}
