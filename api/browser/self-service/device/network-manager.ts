import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../../domain/certificate/entitlement.ts";
import { radiusCaFileName } from "../../../../domain/certificate/file-name.ts";

/** Quotes a word for a shell, without expansion. */
const quoted = (word: string): string => (/^[\w@.:/~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/**
 * Returns the commands that add each of the realm's networks to NetworkManager, for the person who runs them alone
 * (`connection.permissions`): a connection for all users may need an administrator. NetworkManager may read the files
 * with that person's rights, so they must be the person's. A realm with wired networks adds one connection for every
 * Ethernet adapter, which also works at a port without 802.1X (`802-1x.optional`).
 */
export const networkManagerCommands = (
  realm: Pick<RealmRow, "ssids" | "wired" | "domain" | "radiusCn">,
  filename: string,
): string => {
  const profile = [
    `802-1x.eap tls 802-1x.identity ${quoted(`@${realm.domain}`)}`,
    `802-1x.domain-match ${quoted(radiusServerName(realm))} 802-1x.ca-cert "$PWD/${radiusCaFileName}"`,
    `802-1x.client-cert "$PWD/${filename}" 802-1x.private-key "$PWD/${filename}"`,
    "802-1x.private-key-password-flags 4",
  ];
  const add = (...network: readonly string[]): string =>
    [...network, 'connection.permissions "user:$(id -un)"', ...profile].join(" \\\n  ");
  return [
    `chmod 600 ${filename}`,
    ...realm.ssids.map((ssid) =>
      add(`nmcli connection add type wifi con-name ${quoted(ssid)} ssid ${quoted(ssid)}`, "wifi-sec.key-mgmt wpa-eap"),
    ),
    ...(realm.wired
      ? [
          add(
            `nmcli connection add type ethernet ifname '*' con-name ${quoted(`${realm.domain} (LAN)`)}`,
            "802-1x.optional yes",
          ),
        ]
      : []),
  ].join("\n");
};
