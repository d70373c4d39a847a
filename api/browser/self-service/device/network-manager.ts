import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../../domain/certificate/entitlement.ts";
import { radiusCaFileName } from "../../../../domain/certificate/file-name.ts";

/** Quotes a word for a shell, without expansion. */
const quoted = (word: string): string => (/^[\w@.:/~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/**
 * Returns the commands that add each of the realm's networks to NetworkManager, for the person who runs them alone
 * (`connection.permissions`): a connection for all users may need an administrator. NetworkManager may read the files
 * with that person's rights, so they must be the person's.
 */
export const networkManagerCommands = (
  realm: Pick<RealmRow, "ssids" | "domain" | "radiusCn">,
  filename: string,
): string =>
  [
    `chmod 600 ${filename}`,
    ...realm.ssids.map((ssid) =>
      [
        `nmcli connection add type wifi con-name ${quoted(ssid)} ssid ${quoted(ssid)}`,
        'connection.permissions "user:$(id -un)"',
        `wifi-sec.key-mgmt wpa-eap 802-1x.eap tls 802-1x.identity ${quoted(`@${realm.domain}`)}`,
        `802-1x.domain-match ${quoted(radiusServerName(realm))} 802-1x.ca-cert "$PWD/${radiusCaFileName}"`,
        `802-1x.client-cert "$PWD/${filename}" 802-1x.private-key "$PWD/${filename}"`,
        "802-1x.private-key-password-flags 4",
      ].join(" \\\n  "),
    ),
  ].join("\n");
