import { expect, test } from "vitest";
import { networkManagerCommands } from "../../../../../api/browser/self-service/device/network-manager.ts";

const realm = { domain: "demo.example", radiusCn: null };

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

test("a network's name is one word to the shell, whatever is in it", () => {
  const commands = networkManagerCommands({ ...realm, ssids: ["$(reboot)'; `x` #"] }, "laptop.pem");
  expect(commands).toContain(`ssid '$(reboot)'\\''; \`x\` #' `);
});
