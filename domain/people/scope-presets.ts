import type { Scope } from "./scopes.ts";

/** Scopes that common applications of each type need. */
export const scopePresets = {
  useragent: { app: ["openid", "offline_access", "profile.read", "profile.create"] },
  service: {
    sync: ["user.read", "user.modify", "user.delete", "job.read", "job.create"],
    radius: ["radius.read"],
    directory: ["scim"],
  },
} as const satisfies Record<"useragent" | "service", Readonly<Record<string, readonly Scope[]>>>;
