import { z } from "zod";
import { jobKinds, jobStates } from "../../../domain/bulk-job/job.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { profileKinds } from "../../../domain/certificate/profile.ts";
import { ApplicationType } from "../../../domain/people/scopes.ts";
import { PeopleView } from "./person-view.ts";
import { Timestamp } from "./timestamp.ts";

const userStates = ["active", "locked", "offboarded", "forgotten"] as const;
const endingStates = ["active", "revoked", "expired"] as const;

const FoundUserView = z
  .object({
    userID: z.string(),
    pairwiseID: z.string(),
    email: z.string(),
    displayName: z.string().nullable(),
    state: z.enum(userStates),
    profileCount: z.int(),
  })
  .meta({ id: "FoundUser" });

const FoundProfileView = z
  .object({
    serial: z.string(),
    kind: z.enum(profileKinds),
    name: z.string(),
    deviceType: DeviceType.nullable(),
    state: z.enum(endingStates),
    identity: z.string(),
    owner: z.string().nullable().describe("The userID; null for a guest's and a server's."),
    guestAccountID: z.string().nullable(),
  })
  .meta({ id: "FoundProfile" });

const FoundGuestAccountView = z
  .object({ id: z.string(), name: z.string(), state: z.enum(endingStates) })
  .meta({ id: "FoundGuestAccount" });

const FoundApplicationView = z
  .object({ client_id: z.string(), name: z.string(), type: ApplicationType, active: z.boolean() })
  .meta({ id: "FoundApplication" });

const FoundJobView = z
  .object({
    id: z.string(),
    kind: z.enum(jobKinds),
    name: z.string().nullable().describe("Of its file."),
    state: z.enum(jobStates),
    createdAt: Timestamp,
  })
  .meta({ id: "FoundJob" });

const searchKinds = ["user", "profile", "guestAccount", "application", "job"] as const;
type SearchKind = (typeof searchKinds)[number];

const groupOf = <Kind extends SearchKind, Item extends z.ZodType>(kind: Kind, item: Item) =>
  z.object({
    kind: z.literal(kind),
    items: z.array(item),
    more: z.boolean().describe("Whether there are more than `items`."),
    total: z.int().describe("How many were found."),
    isTotalExact: z.boolean().describe("False if there may be more than `total`."),
  });

const SearchGroup = z.discriminatedUnion("kind", [
  groupOf("user", FoundUserView),
  groupOf("profile", FoundProfileView),
  groupOf("guestAccount", FoundGuestAccountView),
  groupOf("application", FoundApplicationView),
  groupOf("job", FoundJobView),
]);
export type SearchGroup = z.infer<typeof SearchGroup>;

/** The results of a search, in groups. */
export const SearchView = z
  .object({
    groups: z.array(SearchGroup),
    partial: z
      .array(z.enum(searchKinds))
      .describe("Groups that were not searched completely in time; they may contain more."),
    people: PeopleView.describe("The owners of the profiles by their userID; empty without the scope `user.read`."),
  })
  .meta({ id: "SearchResult" });
export type SearchView = z.infer<typeof SearchView>;
