import { deviceTypes, type DeviceType, type KeyType } from "../../../domain/certificate/device.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { readWithTag } from "../../api/read-with-tag.ts";

type Apps = Schemas["RealmApps"];
export type AppSettings = Omit<Apps, "appsURL" | "locked">;

export const appsKey = ["realm apps"] as const;

/** The settings in the order of the card. */
export const appNames = [
  "onboardingApps",
  "appsListing",
  "helpMail",
  "helpPhone",
  "reminderLead",
  "radiusNames",
  "rcois",
  "keyTypes",
] as const satisfies readonly (keyof AppSettings)[];

/** The settings as form fields: one name or consortium per line; an empty key type is the default. */
export type AppValues = Omit<AppSettings, "radiusNames" | "rcois" | "reminderLead" | "keyTypes"> & {
  radiusNames: string;
  rcois: string;
  reminderLead: number | string;
  keyTypes: Record<DeviceType, KeyType | "">;
};

export const valuesOf = ({ radiusNames, rcois, keyTypes, ...others }: AppSettings): AppValues => ({
  ...others,
  radiusNames: radiusNames.join("\n"),
  rcois: rcois.join("\n"),
  keyTypes: Object.fromEntries(deviceTypes.map((device) => [device, keyTypes[device] ?? ""])) as AppValues["keyTypes"],
});

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const settingsOf = (values: AppValues): AppSettings => ({
  ...values,
  appsListing: values.appsListing.trim(),
  helpMail: values.helpMail.trim(),
  helpPhone: values.helpPhone.trim(),
  reminderLead: Number(values.reminderLead),
  radiusNames: linesOf(values.radiusNames),
  rcois: linesOf(values.rcois).map((rcoi) => rcoi.toUpperCase()),
  keyTypes: Object.fromEntries(
    deviceTypes.flatMap((device) => {
      const type = values.keyTypes[device];
      return type === "" ? [] : [[device, type] as const];
    }),
  ),
});

/** Returns only the changed settings. */
export function changesOf(before: AppSettings, values: AppValues): Partial<AppSettings> {
  const [from, to] = [settingsOf(valuesOf(before)), settingsOf(values)];
  return Object.fromEntries(
    appNames.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name])).map((name) => [name, to[name]]),
  );
}

/** The settings and their entity tag, for a conditional change. */
export interface ReadApps {
  settings: AppSettings;
  appsURL: string;
  locked: Readonly<Record<string, string>>;
  tag: string;
}

export async function loadApps(signal?: AbortSignal): Promise<ReadApps> {
  const { value, tag } = await readWithTag(api.GET("/api/realm/apps", { ...(signal !== undefined && { signal }) }));
  const { appsURL, locked, ...settings } = value;
  return { settings, appsURL, locked, tag };
}

/** Changes the settings; throws if they have changed since the page read them. */
export const updateApps = (body: Partial<AppSettings>, tag: string): Promise<unknown> =>
  dataOf(api.PUT("/api/realm/apps", { body, params: { header: { "If-Match": tag } } }));
