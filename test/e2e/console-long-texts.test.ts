import { beforeAll, expect, test, vi } from "vitest";
import { expectNoSidewaysScrolling, type View } from "../support/browser/browser.ts";
import { pagesMs, settled } from "../support/browser/console-views.ts";
import type { GivenUser } from "../support/given/given.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { useConsole } from "../support/service/console.ts";

const long = (length: number, letter: string): string => letter.repeat(length);

describeWithTool("chromium-headless-shell", "long texts without a space in the console", () => {
  const subject = useConsole();
  let ada: GivenUser;
  let serial = "";
  let clientId = "";
  let guestId = "";
  let jobId = "";

  beforeAll(async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    const service = api.as.service({ realmId });
    ada = await api.given.user({
      realmId,
      pairwiseId: long(200, "p"),
      email: `${long(60, "e")}@${long(60, "d")}.example`,
      displayName: long(200, "N"),
    });
    serial = await api.given.profile(ada, { name: long(64, "W") });
    ({ clientId } = await api.given.application({ realmId, name: long(100, "A") }));
    ({ id: guestId } = await api.given.guestAccount({ realmId, name: long(100, "G") }));
    await api.given.profile({ realmId }, { guestAccountId: guestId, name: long(64, "V") });
    const administrator = api.as.user(await api.given.user({ realmId, administrator: true }));
    const noted = await administrator.put(`/api/user/${ada.id}/note`, { note: long(500, "n") });
    expect(noted.status, noted.text).toBe(200);
    const job = await service.post(`/api/jobs/revocation?dryRun=true&name=${long(200, "J")}`, {
      serials: [serial],
    });
    expect(job.status, job.text).toBe(202);
    jobId = job.body.data.id;
    await vi.waitFor(
      async () => {
        expect((await service.get(`/api/jobs/${jobId}`)).body.data.state).toBe("ready");
      },
      { timeout: 60_000 },
    );
  });

  const pages = (): string[] => [
    "",
    "/users",
    `/users/${ada.id}`,
    "/profiles",
    `/profiles?open=${serial}`,
    "/guests",
    `/guests/${guestId}`,
    "/jobs",
    `/jobs/${jobId}`,
    "/audit",
    `/audit?about=user:${ada.id}`,
    "/applications",
    `/applications/${clientId}`,
  ];

  test.each<View>([
    { theme: "light", width: 320, language: "en" },
    { theme: "light", width: 1440, language: "de" },
  ])("never widen a page: $width px, $language", { timeout: pagesMs }, async (view) => {
    const { page, context } = await subject.open("/console", view);
    for (const path of pages()) {
      await page.goto(`${subject.api.url}/console${path}`);
      await page.waitForSelector("main h1");
      await page.waitForLoadState("networkidle");
      await settled(page);
      await expectNoSidewaysScrolling(page);
    }
    // Control: the same check finds a text that widens a page.
    await page.locator("main h1").evaluate(
      (heading, text) => {
        heading.style.whiteSpace = "nowrap";
        heading.style.overflow = "visible";
        heading.textContent = text;
      },
      long(500, "W"),
    );
    await expect(expectNoSidewaysScrolling(page)).rejects.toThrow(/px/);
    await context.close();
  });
});
