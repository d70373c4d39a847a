import type { DeviceType } from "./certificate/device.ts";

/** A store from which people install an app. */
export interface AppStore {
  /** The store's name, followed by the platform if the store serves several. */
  name: string;
  uri: string;
  /** The devices that install apps from this store. */
  deviceTypes: readonly DeviceType[];
}

/** An app that signs a person in and installs the profile itself, by letswifi's protocol. */
export interface OnboardingApp {
  /** Identifies the app in every realm. It is not a registration, which would belong to one realm. */
  clientId: string;
  name: string;
  /** Where the app receives the code: this address, or any port of the device itself. */
  redirectUri: string;
  /** The devices on which the app runs; the first one if the browser does not show which device it is on. */
  deviceTypes: readonly [DeviceType, ...DeviceType[]];
  stores: readonly AppStore[];
}

/** Returns the path at which the apps of a realm start, below the authorization server's address. */
export const appsPath = (realmName: string): string => `/letswifi/${realmName}/`;

const loopback = "loopback";

const geteduroam = "https://dl.eduroam.app/windows";

/** The apps, by the `client_id` that is compiled into them. */
export const onboardingApps: readonly OnboardingApp[] = [
  {
    clientId: "app.eduroam.geteduroam",
    name: "geteduroam",
    redirectUri: "app.eduroam.geteduroam:/",
    deviceTypes: ["Android", "iOS", "iPadOS", "MacOS", "ChromeOS"],
    stores: [
      {
        name: "Google Play",
        uri: "https://play.google.com/store/apps/details?id=app.eduroam.geteduroam",
        deviceTypes: ["Android", "ChromeOS"],
      },
      { name: "F-Droid", uri: "https://f-droid.org/packages/app.eduroam.geteduroam/", deviceTypes: ["Android"] },
      { name: "App Store", uri: "https://apps.apple.com/app/id1504076137", deviceTypes: ["iOS", "iPadOS", "MacOS"] },
    ],
  },
  {
    clientId: "app.geteduroam.win",
    name: "geteduroam",
    redirectUri: loopback,
    deviceTypes: ["Windows"],
    stores: [
      { name: "Windows", uri: `${geteduroam}/amd64/geteduroam.exe`, deviceTypes: ["Windows"] },
      { name: "Windows (ARM)", uri: `${geteduroam}/arm64/geteduroam.exe`, deviceTypes: ["Windows"] },
    ],
  },
  {
    clientId: "app.geteduroam.sh",
    name: "geteduroam",
    redirectUri: loopback,
    deviceTypes: ["Linux"],
    stores: [{ name: "Flathub", uri: "https://flathub.org/apps/app.eduroam.geteduroam", deviceTypes: ["Linux"] }],
  },
  {
    clientId: "app.govroam.getgovroam",
    name: "getgovroam",
    redirectUri: "app.govroam.getgovroam:/",
    deviceTypes: ["Android", "iOS", "iPadOS"],
    stores: [],
  },
  {
    clientId: "app.getgovroam.win",
    name: "getgovroam",
    redirectUri: loopback,
    deviceTypes: ["Windows"],
    stores: [],
  },
];

/** Returns the stores that have an app for a kind of device; empty if no store has an app for it. */
export const storesFor = (deviceType: DeviceType): AppStore[] =>
  onboardingApps.flatMap(({ stores }) => stores).filter(({ deviceTypes }) => deviceTypes.includes(deviceType));

const byClientId: ReadonlyMap<string, OnboardingApp> = new Map(onboardingApps.map((app) => [app.clientId, app]));

/** Returns the app with this `client_id`. */
export const findOnboardingApp = (clientId: string | undefined): OnboardingApp | undefined =>
  clientId === undefined ? undefined : byClientId.get(clientId);

/**
 * An address of the device itself with any port (RFC 8252 section 7.3); never `localhost`, which a hosts file can
 * redirect.
 */
const loopbackUri = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?\/$/;

/** Returns whether a redirect URI, as sent, belongs to the app. */
export function fitsOnboardingApp(app: OnboardingApp, redirectUri: string): boolean {
  if (app.redirectUri !== loopback) return redirectUri === app.redirectUri;
  const found = loopbackUri.exec(redirectUri);
  return found !== null && Number(found[1] ?? 80) <= 65_535;
}

/** Returns the type of the user's device: the detected type if the app runs on it, else the app's usual type. */
export const deviceTypeOf = ({ deviceTypes }: OnboardingApp, detected: DeviceType | undefined): DeviceType =>
  deviceTypes.find((deviceType) => deviceType === detected) ?? deviceTypes[0];

/**
 * Returns the device type, corrected by the User-Agent that the app itself sends and by the format that it requests.
 * The page alone can be wrong: an iPad's Safari calls itself a Mac, and a Chromebook runs the Android app.
 */
export function correctedDeviceType(
  app: OnboardingApp,
  shown: DeviceType,
  { userAgent, wantsMobileconfig }: { userAgent: string; wantsMobileconfig: boolean },
): DeviceType {
  const corrected = (): DeviceType | undefined => {
    if (userAgent.startsWith("geteduroam-android/")) return shown === "ChromeOS" ? "ChromeOS" : "Android";
    if (!/\bCFNetwork\/.*\bDarwin\//.test(userAgent)) return undefined;
    if (wantsMobileconfig) return "MacOS";
    return shown === "iPadOS" || shown === "MacOS" ? "iPadOS" : "iOS";
  };
  return deviceTypeOf({ ...app, deviceTypes: [shown, ...app.deviceTypes] }, corrected());
}
