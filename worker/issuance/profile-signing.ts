import { X509Certificate } from "node:crypto";
import { ConfigError, type Config } from "../../runtime/config/config.ts";
import { readFileSigner } from "../../pki/signed-data.ts";
import type { ProfileSigning } from "../signing/messages.ts";

type SigningConfig = Config<"REALMPASS_PROFILE_SIGNING_CERTIFICATE" | "REALMPASS_PROFILE_SIGNING_KEY">;

/**
 * Returns the certificate and key that sign configuration profiles, if configured. Throws a {@link ConfigError} if one
 * of them is missing or they cannot sign.
 */
export function profileSigningOf(config: SigningConfig): ProfileSigning | undefined {
  const { REALMPASS_PROFILE_SIGNING_CERTIFICATE: certificate, REALMPASS_PROFILE_SIGNING_KEY: key } = config;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new ConfigError([
      "REALMPASS_PROFILE_SIGNING_CERTIFICATE: it goes together with REALMPASS_PROFILE_SIGNING_KEY",
    ]);
  }
  try {
    readFileSigner({ certificate, key });
  } catch {
    throw new ConfigError([
      "REALMPASS_PROFILE_SIGNING_CERTIFICATE: cannot be used with REALMPASS_PROFILE_SIGNING_KEY; " +
        "it takes P-256, P-384, or RSA of at least 2048 bits",
    ]);
  }
  return { certificate, key };
}

/**
 * Returns the expiry of the signing certificate. After that time, devices show profiles with its signature as not
 * verified.
 */
export const profileSigningEnd = ({ certificate }: ProfileSigning): Date =>
  new Date(new X509Certificate(certificate).validTo);
