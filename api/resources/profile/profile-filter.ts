import type { ActiveProfileFilter, ProfileFilter } from "../../../db/queries/certificates/certificate-pages.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { filters } from "../../contract/filters.ts";
import { textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";

/** The filters that all lists of users' profiles share. */
export const activeProfileFilter: ListOptions<ActiveProfileFilter, never>["filter"] = {
  authable: filters.flag,
  minCreated: filters.instant,
  maxCreated: filters.instant,
  minLastLogin: filters.instant,
  maxLastLogin: filters.instant,
  minExpirationTime: filters.instant,
  maxExpirationTime: filters.instant,
  deviceType: DeviceType,
  serials: filters.list(SerialNumber),
  text: textFilter(
    "the name, the identity, the serial number or a part of it; in the list of the realm also the owner's pairwise ID, e-mail address, name or userID",
  ),
};

/** The filters of lists that also contain inactive profiles. */
export const profileFilter: ListOptions<ProfileFilter, never>["filter"] = {
  ...activeProfileFilter,
  invalid: filters.flag,
};
