import { X509Certificate } from "node:crypto";
import type { Database } from "../../db/client.ts";
import type { ClaimedIssuance } from "../../db/queries/issuance/issuance-work.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { IssuanceNetwork } from "../../db/queries/realm/realms.ts";
import { isDeviceFile } from "../../domain/certificate/format.ts";
import { radiusServerNames } from "../../domain/certificate/entitlement.ts";
import { isMailUri } from "../../domain/uris.ts";
import type { Log } from "../../runtime/log.ts";
import type { Help, NetworkSettings, RadiusCa } from "./device-files/device-file-content.ts";

/**
 * Returns the networks of the claimed issuances that become device files, by issuance; does not query the database if
 * no issuance does. Leaves out and logs an issuance whose RADIUS CA cannot be read.
 */
export async function networksOf(
  { db, log }: { db: Database; log: Log },
  claimed: readonly ClaimedIssuance[],
): Promise<ReadonlyMap<string, NetworkSettings>> {
  const wanted = new Map<string, ClaimedIssuance>(
    claimed.filter(({ format }) => isDeviceFile(format)).map((issuance) => [issuance.id, issuance]),
  );
  const networks = new Map<string, NetworkSettings>();
  if (wanted.size === 0) return networks;
  for (const row of await realms.listNetworksOfIssuances(db, [...wanted.keys()])) {
    try {
      networks.set(row.issuanceId, networkOf(row));
    } catch (error) {
      const { issuanceId } = row;
      const requestId = wanted.get(issuanceId)?.requestId ?? undefined;
      log.error(
        { event: "realm.radius_ca_unreadable", issuanceId, requestId, err: error },
        "could not read a realm's RADIUS CA",
      );
    }
  }
  return networks;
}

const networkOf = (row: IssuanceNetwork): NetworkSettings => ({
  displayName: row.displayName,
  domain: row.domain,
  ssids: row.ssids,
  wired: row.wired,
  radiusNames: radiusServerNames(row),
  radiusCas: radiusCasOf(row),
  rcois: row.rcois,
  help: helpOf(row),
  reminderLeadDays: row.reminderLeadDays,
});

/**
 * Returns the realm's help. A help address with `mailto:` is not a web address; it is the mail address unless the realm
 * has set one.
 */
function helpOf({ helpUri, helpMail, helpPhone }: IssuanceNetwork): Help {
  const isMail = isMailUri(helpUri);
  return {
    mail: helpMail === "" && isMail ? helpUri.slice("mailto:".length) : helpMail,
    web: isMail ? "" : helpUri,
    phone: helpPhone,
  };
}

/**
 * Returns the CAs of the RADIUS server's certificate: the CAs that the realm names, or else the realm's own CAs, for a
 * server with an infrastructure profile. Devices trust the realm's root, since most stacks accept no other anchor and a
 * new issuing CA must not lock devices out; the issuing CA is included for servers that do not send their chain.
 */
function radiusCasOf({ radiusCa, issuer, issuerChain }: IssuanceNetwork): RadiusCa[] {
  const own = [issuer, ...issuerChain];
  const named = radiusCa?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (radiusCa !== null && named.length === 0) throw new TypeError("the realm's RADIUS CA is not PEM");
  const cas = (radiusCa === null ? own : named)
    .map((certificate) => new X509Certificate(certificate))
    .map((ca) => ({ certificate: ca.raw.toString("base64"), selfSigned: ca.verify(ca.publicKey) }));
  return [...cas.filter(({ selfSigned }) => selfSigned), ...cas.filter(({ selfSigned }) => !selfSigned)];
}
