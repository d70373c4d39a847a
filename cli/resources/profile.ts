import type { Colors } from "picocolors/types.js";
import type { components } from "../../contract-types/api-types.ts";
import type { Resource } from "../output/resource.ts";
import { time } from "./texts.ts";

export type Profile = components["schemas"]["Profile"];
export type CreatedProfile = components["schemas"]["CreatedProfile"];

const fields = [
  "serial",
  "name",
  "revokeReason",
  "revokeTime",
  "creationTime",
  "expirationTime",
  "authable",
  "lastLogin",
  "deviceType",
  "owner",
] as const;

const columns = [
  { title: "Serial", text: ({ serial }: Profile) => serial },
  { title: "Name", text: ({ name }: Profile) => name },
  { title: "Owner", text: ({ owner }: Profile) => owner },
  { title: "Device", text: ({ deviceType }: Profile) => deviceType },
  {
    title: "Status",
    text: ({ revokeTime }: Profile, colors: Colors) =>
      revokeTime === null ? colors.green("valid") : colors.gray("revoked"),
  },
  { title: "Valid until", text: ({ expirationTime }: Profile) => time(expirationTime) },
];

export const profileResource: Resource<Profile> = { fields, columns };

/** A new profile, without the contents of its file. */
export type IssuedProfile = Omit<CreatedProfile, "data" | "certificate" | "privateKey"> & { file: string };

export const issuedProfileResource: Resource<IssuedProfile> = {
  fields: [...fields, "identity", "radiusCN", "file"],
  columns: [
    ...columns,
    { title: "Identity", text: ({ identity }) => identity },
    { title: "RADIUS name", text: ({ radiusCN }) => radiusCN },
    { title: "File", text: ({ file }) => file },
  ],
};
