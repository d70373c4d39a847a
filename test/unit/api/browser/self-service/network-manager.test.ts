import { expect, test } from "vitest";
import { networkManagerCommands } from "../../../../../api/browser/self-service/device/network-manager.ts";

const realm = { domain: "demo.example", radiusCn: null, wired: false };

test("each network gets a connection that checks the server's name and CA", () => {
  const commands = networkManagerCommands({ ...realm, ssids: ["eduroam", "Campus WLAN"] }, "laptop.pem");
  expect(commands).toContain("chmod 600 laptop.pem\n");
  expect(commands).toContain("con-name eduroam ssid eduroam");
  expect(commands).toContain("con-name 'Campus WLAN' ssid 'Campus WLAN'");
  expect(commands).toContain("802-1x.identity @demo.example");
  expect(commands).toContain("802-1x.domain-match radius.demo.example");
  expect(commands).toContain('802-1x.ca-cert "$PWD/radius-ca.pem"');
});

test("each connection is for the person who runs the commands alone, so that it needs no administrator", () => {
  const commands = networkManagerCommands({ ...realm, ssids: ["eduroam", "Campus WLAN"] }, "laptop.pem");
  const added = commands.split("nmcli connection add ").slice(1);
  expect(added).toHaveLength(2);
  for (const connection of added) expect(connection).toContain(' connection.permissions "user:$(id -un)" ');
});

test("a realm with wired networks adds one connection for every cable, with the same checks and no need of 802.1X", () => {
  const ssids = ["eduroam"];
  const commands = networkManagerCommands({ ...realm, ssids, wired: true }, "laptop.pem");
  const [wifi = "", wired = "", ...others] = commands.split("nmcli connection add ").slice(1);
  expect(others).toEqual([]);
  expect(wired).toContain("type ethernet ifname '*' con-name 'demo.example (LAN)' ");
  expect(wired).toContain(' connection.permissions "user:$(id -un)" ');
  expect(wired).toContain(" 802-1x.optional yes ");
  const checks = (command: string) => command.slice(command.indexOf("802-1x.eap")).trim();
  expect(checks(wired)).toBe(checks(wifi));
  expect(checks(wired)).toContain("802-1x.domain-match radius.demo.example");
  expect(wifi).not.toContain("optional");
  expect(networkManagerCommands({ ...realm, ssids }, "laptop.pem")).not.toContain("ethernet");
});

test("a network's name is one word to the shell, whatever is in it", () => {
  const commands = networkManagerCommands({ ...realm, ssids: ["$(reboot)'; `x` #"] }, "laptop.pem");
  expect(commands).toContain(`ssid '$(reboot)'\\''; \`x\` #' `);
});
