import { api, dataOf, listOf, type Schemas } from "../../api/api-client.ts";
import { changeIfSame, readWithTag, sameIn } from "../../api/read-with-tag.ts";

type Settings = Schemas["RealmSettings"];

export const realmKey = ["realm settings"] as const;

/**
 * The sections of the settings that can be changed here, in the order of the page. The user saves each section
 * separately.
 */
export const settingSections = {
  looks: ["displayName", "logoURI"],
  help: ["helpURI", "privacyURI"],
  profiles: ["maxProfiles", "maxValid", "offboardingShare"],
  wifi: ["ssids"],
  guests: ["guestDaysMax", "guestLimitMax"],
  time: ["timeZone"],
  servers: ["radiusAddresses"],
  trust: ["radiusCN", "radiusCA"],
} as const satisfies Record<string, readonly (keyof Settings)[]>;
export type SettingSection = keyof typeof settingSections;
export type SettingName = (typeof settingSections)[SettingSection][number];
export const sectionNames = Object.keys(settingSections) as SettingSection[];
export const settingNames: readonly SettingName[] = sectionNames.flatMap((section) => [...settingSections[section]]);
export type RealmSettings = Pick<Settings, SettingName>;

/** The settings that cannot be changed here. */
export type FixedSettings = Omit<Settings, SettingName>;

/** The settings as form fields: one network or address per line; empty if the setting has no value. */
export type SettingValues = Omit<
  RealmSettings,
  "ssids" | "radiusAddresses" | "radiusCN" | "radiusCA" | "guestDaysMax" | "guestLimitMax"
> & {
  ssids: string;
  radiusAddresses: string;
  radiusCN: string;
  radiusCA: string;
  guestDaysMax: number | string;
  guestLimitMax: number | string;
};

export const valuesOf = (settings: RealmSettings): SettingValues => ({
  ...settings,
  ssids: settings.ssids.join("\n"),
  radiusAddresses: settings.radiusAddresses.join("\n"),
  radiusCN: settings.radiusCN ?? "",
  radiusCA: settings.radiusCA ?? "",
});

/** Converts the form's values to settings. An unedited value stays exactly the same, including blanks. */
export function settingsOf(values: SettingValues, before: RealmSettings): RealmSettings {
  const untouched = valuesOf(before);
  const written: RealmSettings = {
    ...values,
    displayName: values.displayName.trim(),
    logoURI: values.logoURI.trim(),
    helpURI: values.helpURI.trim(),
    privacyURI: values.privacyURI.trim(),
    timeZone: values.timeZone.trim(),
    ssids: values.ssids
      .split("\n")
      .map((line) => (before.ssids.includes(line) ? line : line.trim()))
      .filter((line) => line !== ""),
    radiusAddresses: values.radiusAddresses
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
    guestDaysMax: Number(values.guestDaysMax),
    guestLimitMax: Number(values.guestLimitMax),
    radiusCN: values.radiusCN.trim() === "" ? null : values.radiusCN.trim(),
    radiusCA: values.radiusCA.trim() === "" ? null : values.radiusCA.trim(),
  };
  const kept = settingNames.filter((name) => values[name] === untouched[name]);
  return { ...written, ...Object.fromEntries(kept.map((name) => [name, before[name]])) };
}

/** Returns only the changed settings. */
export const changesBetween = (before: RealmSettings, after: RealmSettings): Partial<RealmSettings> =>
  Object.fromEntries(
    settingNames
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  );

/** Counts the users with more active profiles than the given number. */
export async function usersWithMoreThan(profiles: number, signal: AbortSignal): Promise<number> {
  const query = { limit: 1, filter: { minProfileCount: String(profiles + 1) } };
  return (await listOf(api.GET("/api/user", { params: { query }, signal }))).total;
}

/** A realm as the page read it. */
export interface ReadRealm {
  settings: RealmSettings;
  fixed: FixedSettings;
}

export const loadRealm = async (signal?: AbortSignal): Promise<ReadRealm> => (await readRealm(signal)).value;

async function readRealm(signal?: AbortSignal): Promise<{ value: ReadRealm; tag: string }> {
  const { value, tag } = await readWithTag(api.GET("/api/realm/settings", { ...(signal !== undefined && { signal }) }));
  const { displayName, logoURI, helpURI, privacyURI, maxProfiles, maxValid, offboardingShare, ...further } = value;
  const { ssids, guestDaysMax, guestLimitMax, timeZone, radiusAddresses, radiusCN, radiusCA, ...fixed } = further;
  return {
    value: {
      settings: {
        ...{ displayName, logoURI, helpURI, privacyURI, maxProfiles, maxValid, offboardingShare },
        ...{ ssids, guestDaysMax, guestLimitMax, timeZone, radiusAddresses, radiusCN, radiusCA },
      },
      fixed,
    },
    tag,
  };
}

/** Changes the realm if the section's settings still equal those in `seen`; otherwise returns the current realm. */
export const changeRealm = (
  body: Partial<RealmSettings>,
  { seen, section }: { seen: RealmSettings; section: SettingSection },
): Promise<{ changed: ReadRealm } | { now: ReadRealm }> =>
  changeIfSame({
    read: readRealm,
    isSame: ({ settings }) => sameIn(settingSections[section], seen, settings),
    change: async (header) => {
      await dataOf(api.PUT("/api/realm/settings", { body, params: { header } }));
      return loadRealm();
    },
  });
