import type { components } from "../../contract-types/api-types.ts";
import type { Resource } from "../output/resource.ts";
import { time } from "./texts.ts";

export type GuestAccount = components["schemas"]["GuestAccount"];

export const guestAccountResource: Resource<GuestAccount> = {
  fields: ["id", "name", "creationDate", "expirationDate", "note", "profileLimit", "revoked", "activeProfileCount"],
  columns: [
    { title: "Account", text: ({ id }) => id },
    { title: "Name", text: ({ name }) => name },
    {
      title: "Profiles",
      text: ({ activeProfileCount, profileLimit }) => `${activeProfileCount}/${profileLimit ?? "unlimited"}`,
    },
    { title: "Status", text: ({ revoked }, colors) => (revoked ? colors.gray("revoked") : colors.green("active")) },
    { title: "Valid until", text: ({ expirationDate }) => time(expirationDate) },
    { title: "Note", text: ({ note }) => note ?? "" },
  ],
};
