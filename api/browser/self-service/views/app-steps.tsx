import type { DeviceType } from "../../../../domain/certificate/device.ts";
import { appsPath, storesFor } from "../../../../domain/onboarding-apps.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { filled } from "../../../pages/parts/times.tsx";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { Texts } from "../texts/texts.ts";
import { StepPicture } from "./step-picture.tsx";

interface AppStepsProps {
  page: PageRequest;
  realm: RealmRow;
  deviceType: DeviceType;
  texts: Texts;
}

/** Shows how the geteduroam app of a kind of device fetches a profile. */
export function AppSteps({ page: { deps }, realm, deviceType, texts: { apps } }: AppStepsProps) {
  const { appsListing, name } = realm;
  const address = `${deps.settings.authUrl}${appsPath(name)}`.replace(/^https?:\/\//, "").replace(/\/$/, "");
  const find =
    appsListing === ""
      ? filled(apps.type, <strong translate="no">{address}</strong>)
      : filled(apps.search, <strong translate="no">{withoutBidiControls(appsListing)}</strong>);
  return (
    <>
      <Stores deviceType={deviceType} texts={apps} />
      <p>{apps.removeOlder}</p>
      <ol class="steps">
        {[apps.install, find, apps.finish].map((step, index) => (
          <li>
            {step}
            <StepPicture recipe="onboarding" step={index} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Links to where the app for a kind of device is installed from. */
export function Stores({ deviceType, texts }: { deviceType: DeviceType; texts: Texts["apps"] }) {
  return (
    <div class="pair">
      {storesFor(deviceType).map(({ name, uri }) => (
        <a class="button quiet" href={uri} rel="noreferrer">
          {texts.store(name)}
        </a>
      ))}
    </div>
  );
}
