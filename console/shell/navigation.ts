import {
  IconApps,
  IconBan,
  IconClipboardList,
  IconDevices,
  IconGauge,
  IconListCheck,
  IconRouter,
  IconSettings,
  IconUserHeart,
  IconUsers,
} from "../ui/icons.tsx";
import { consolePath } from "../api/page-settings.ts";

/** The side navigation: groups of places, each with the key that opens it after `g`. */
export const navigation = [
  { group: "overview", places: [{ name: "dashboard", to: "/", key: "d", icon: IconGauge }] },
  {
    group: "people",
    places: [
      { name: "users", to: "/users", key: "u", icon: IconUsers },
      { name: "profiles", to: "/profiles", key: "p", icon: IconDevices },
      { name: "guests", to: "/guests", key: "g", icon: IconUserHeart },
    ],
  },
  { group: "network", places: [{ name: "infrastructure", to: "/infrastructure", key: "i", icon: IconRouter }] },
  {
    group: "operations",
    places: [
      { name: "jobs", to: "/jobs", key: "j", icon: IconListCheck },
      { name: "revocation", to: "/jobs/new/revocation", key: "r", icon: IconBan },
      { name: "audit", to: "/audit", key: "a", icon: IconClipboardList },
    ],
  },
  {
    group: "configuration",
    places: [
      { name: "applications", to: "/applications", key: "c", icon: IconApps },
      { name: "settings", to: "/settings", key: "s", icon: IconSettings },
    ],
  },
] as const;

export type PlaceName = (typeof navigation)[number]["places"][number]["name"];

/** Returns an address without the console's path; an address that does not begin with this path is unchanged. */
export const withinConsole = (pathname: string): string =>
  pathname.startsWith(consolePath) ? pathname.slice(consolePath.length) || "/" : pathname;

export const places = navigation.flatMap(({ places: ofGroup }) => [...ofGroup]);

/**
 * Returns the place that contains an address within the console: the place with the longest matching address; undefined
 * if there is no match.
 */
export const placeAt = (here: string): PlaceName | undefined =>
  places
    .filter(({ to }) => (to === "/" ? here === "/" : here === to || here.startsWith(`${to}/`)))
    .toSorted((one, other) => other.to.length - one.to.length)[0]?.name;
