import type { Colors } from "picocolors/types.js";
import type { components } from "../../contract-types/api-types.ts";
import type { Resource } from "../output/resource.ts";
import { time } from "./texts.ts";

export type User = components["schemas"]["User"];

export const userResource: Resource<User> = {
  fields: [
    "userID",
    "pairwiseID",
    "email",
    "locked",
    "creationTime",
    "realmID",
    "profileOverride",
    "maxProfiles",
    "profileCount",
    "blacklisted",
    "blacklistDate",
    "lockDate",
  ],
  columns: [
    { title: "User", text: ({ userID }) => userID },
    { title: "Pairwise ID", text: ({ pairwiseID }) => pairwiseID },
    { title: "E-mail", text: ({ email }) => email },
    { title: "Status", text: status },
    { title: "Profiles", text: ({ profileCount, maxProfiles }) => `${profileCount}/${maxProfiles}` },
    { title: "Created", text: ({ creationTime }) => time(creationTime) },
  ],
};

function status({ blacklisted, locked }: User, colors: Colors): string {
  if (blacklisted) return colors.gray("offboarded");
  return locked ? colors.yellow("locked") : colors.green("active");
}
