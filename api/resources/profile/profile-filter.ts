import type { ActiveProfileFilter, ProfileFilter } from "../../../db/queries/certificates/certificate-pages.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { filters } from "../../contract/filters.ts";
import type { ListOptions } from "../../contract/paging.ts";

/** The filters of lists that contain only active profiles of users. */
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
};

/** The filters of lists that also contain inactive profiles. */
export const profileFilter: ListOptions<ProfileFilter, never>["filter"] = {
  ...activeProfileFilter,
  invalid: filters.flag,
};
