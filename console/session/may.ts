import type { Scope } from "../../domain/people/scopes.ts";
import { useSession } from "./session.tsx";

/** The scopes that each page and action needs. The service checks them again on every request. */
export const needs = {
  dashboard: ["realm.read", "profile.read", "user.read", "job.read"],
  users: ["user.read"],
  profiles: ["profile.read"],
  guests: ["guest.view"],
  infrastructure: ["infrastructure.read"],
  jobs: ["job.read"],
  newJob: ["job.create"],
  revocation: ["profile.delete", "job.create"],
  audit: ["audit.read"],
  applications: ["application.read"],
  registration: ["application.modify"],
  settings: ["realm.read"],
  directory: ["application.read"],

  lock: ["user.lock"],
  unlock: ["user.lock"],
  offboard: ["user.delete"],
  reactivate: ["user.modify"],
  endSession: ["user.lock"],
  changeLimit: ["user.modify"],
  changeVlan: ["user.modify"],
  changeNote: ["user.modify"],
  giveRoles: ["role.modify"],
  createProfile: ["profile.create"],
  offerSetUp: ["profile.offer"],
  exportPerson: ["user.read", "profile.read", "job.read", "audit.read"],
  revokeProfile: ["profile.delete"],
  revokeAll: ["profile.delete", "job.create"],
  createGuest: ["guest.create"],
  changeGuest: ["guest.modify"],
  revokeGuest: ["guest.delete"],
  showGuestLink: ["guest.read"],
  createInfrastructure: ["infrastructure.create"],
  revokeInfrastructure: ["infrastructure.delete"],
  changeApplication: ["application.modify"],
  makeDirectoryToken: ["application.modify", "user.modify", "user.delete"],
  changeJob: ["job.create"],
  changeSettings: ["realm.modify"],
  setSignIn: ["realm.modify", "role.modify"],
} as const satisfies Record<string, readonly Scope[]>;

export type Deed = keyof typeof needs;

/** The pages by the beginning of their addresses; longer addresses come first. */
const pages: readonly (readonly [path: string, page: Deed])[] = [
  ["/users", "users"],
  ["/profiles", "profiles"],
  ["/guests", "guests"],
  ["/infrastructure", "infrastructure"],
  ["/jobs/new", "newJob"],
  ["/jobs", "jobs"],
  ["/audit", "audit"],
  ["/applications/new", "registration"],
  ["/applications", "applications"],
  ["/settings/directory", "directory"],
  ["/settings", "settings"],
];

/** Returns the page at an address within the console, or undefined. */
export const pageAt = (path: string): Deed | undefined =>
  path === "/" ? "dashboard" : pages.find(([begin]) => path === begin || path.startsWith(`${begin}/`))?.[1];

/** Returns a function that returns true if the signed-in user may see a page or perform an action. */
export function useMay(): (deed: Deed) => boolean {
  const { scopes } = useSession();
  return (deed) => needs[deed].every((scope) => scopes.includes(scope));
}
