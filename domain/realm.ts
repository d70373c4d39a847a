import { z } from "zod";

export const realmLimits = { maxProfiles: 100, maxValidMonths: 24 } as const;

/** The realm's short name: what operators type. */
export const RealmName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "must be a lower-case DNS label");

/** Identities are `<20 characters>@<domain>` and fit a common name of 64 characters. */
export const RealmDomain = z
  .string()
  .toLowerCase()
  .max(43, "must be at most 43 characters, so that identities fit a certificate's common name")
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,}$/, "must be a DNS domain");

/** A realm's settings as the service uses them. */
export interface Realm {
  id: string;
  name: string;
  displayName: string;
  domain: string;
  logoUri: string;
  maxProfiles: number;
  maxValidMonths: number;
  /** The name that the RADIUS server's certificate shows; null: `radius.<domain>`. */
  radiusCn: string | null;
}

/** The name a supplicant must find in the RADIUS server's certificate. */
export const radiusServerName = (realm: Pick<Realm, "radiusCn" | "domain">): string =>
  realm.radiusCn ?? `radius.${realm.domain}`;
