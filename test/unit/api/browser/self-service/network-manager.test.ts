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

test("a network's name is one word to the shell, whatever is in it", () => {
  const commands = networkManagerCommands({ ...realm, ssids: ["$(reboot)'; `x` #"] }, "laptop.pem");
  expect(commands).toContain(`ssid '$(reboot)'\\''; \`x\` #' `);
});
