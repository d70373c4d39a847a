import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { expectGoodConsole, pagesMs } from "../support/browser/console-views.ts";
import type { GivenUser } from "../support/given/given.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomeOf } from "../support/pki/ocsp.ts";
import { eventually } from "../support/run/eventually.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { useConsole } from "../support/service/console.ts";
import { startTestResponder } from "../support/service/responder.ts";

const server = "127.0.0.7";
const stranger = "127.0.0.8";

describeWithTool("chromium-headless-shell", "an OCSP request about a revoked device, in the console", () => {
  const subject = useConsole();
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  let responderUrl = "";
  let ada: GivenUser;
  let seen = "";
  let asked = "";

  /** Sends an OCSP request about a revoked device, from an address of this machine. */
  const ask = async (serialNumber: string, { from }: { from: string }): Promise<void> => {
    const { issuer, issuerId } = subject.realm;
    const body = encodeOcspRequest([encodeCertId({ issuer, serialNumber })]);
    const answer = await askOverHttp(`${responderUrl}/ocsp/${issuerId}`, { body, localAddress: from });
    expect(outcomeOf(answer.body)).toBe("revoked");
  };
  const givenRevoked = async (name: string): Promise<string> => {
    const wanted = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
    const { body } = await service().post(`/api/user/${ada.id}/profiles/${name}`, wanted);
    const { serial } = body.data;
    await service().delete(`/api/profiles/${serial}`, { reason: 1 });
    return serial;
  };
  const timelineOf = (page: Page) => page.getByRole("table", { name: "Timeline" });
  /**
   * Sends requests from an address until the device's details show the text, because the responder records requests
   * some seconds later.
   */
  const expectAsked = (page: Page, serial: string, { from, says }: { from: string; says: RegExp }): Promise<void> =>
    eventually(async () => {
      await ask(serial, { from });
      await page.goto(`${subject.api.url}/console/profiles?open=${serial}`);
      const details = page.getByRole("dialog");
      await details.getByRole("region", { name: /^Why is .* not on the network\?$/ }).waitFor();
      expect(await details.innerText()).toMatch(says);
    });
  const tried = /Revoked by .*; the device tried on .* and was refused\./;
  const notTried = /Revoked by .* No attempt seen since\..*\bSomebody asked\n/s;
  const somebody = (page: Page) => page.getByRole("dialog").getByText("Somebody asked", { exact: true });

  beforeAll(async () => {
    const { api, realm } = subject;
    responderUrl = (await startTestResponder({ databaseUrl: api.database.url, lastOcspEveryMs: 50 })).url;
    ada = await api.given.user({ realmId: realm.realmId, pairwiseId: "ada-1815" });
    expect(await service().put("/api/realm/settings", { radiusAddresses: [server] })).toMatchObject({ status: 200 });
    [seen, asked] = [await givenRevoked("phone"), await givenRevoked("tablet")];
  });

  test(
    "counts as the device's attempt if one of the realm's RADIUS servers sent it, else as another system's request",
    { timeout: pagesMs },
    async () => {
      const watched = await subject.open("/console");
      const { page, context } = watched;
      await expectAsked(page, seen, { from: server, says: tried });
      expect(await somebody(page).count()).toBe(0);
      await expectAsked(page, asked, { from: stranger, says: notTried });
      expect(await somebody(page).count()).toBe(1);
      await expectGoodConsole(watched);
      await page.goto(`${subject.api.url}/console/users/${ada.id}`);
      await timelineOf(page).getByText("A RADIUS server asked about “phone”: refused").waitFor();
      await timelineOf(page).getByText("Somebody asked about “tablet”; not a RADIUS server of this realm").waitFor();
      expect(await timelineOf(page).getByText("A RADIUS server asked about “tablet”").count()).toBe(0);
      await context.close();
    },
  );

  test("counts as the device's attempt once the settings name the sender's address", { timeout: pagesMs }, async () => {
    const { page, context } = await subject.open("/console/settings");
    await page.getByRole("textbox", { name: "Addresses of the RADIUS servers" }).fill(`${server}\n${stranger}`);
    await page.click('main #servers [type="submit"]');
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.getByText("Saved: RADIUS servers").waitFor();
    await expectAsked(page, asked, { from: stranger, says: tried });
    await page.goto(`${subject.api.url}/console/users/${ada.id}`);
    await timelineOf(page).getByText("A RADIUS server asked about “tablet”: refused").waitFor();
    await context.close();
  });
});
