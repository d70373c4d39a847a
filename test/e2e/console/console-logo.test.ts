import { beforeAll, expect, test } from "vitest";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole } from "../../support/browser/console-views.ts";
import { png, svg } from "../../support/counterparts/picture-server.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

describeWithTool("chromium-headless-shell", "the uploaded logo in the settings", () => {
  const subject = useConsole();
  const auditor = { username: "auditor" };

  beforeAll(async () => {
    await givenLocalAccount(subject.api, { ...auditor, ...subject.realm, roles: ["auditor"] });
  });

  const uploaded = async () =>
    (await subject.api.as.admin(subject.realm).get("/api/realm/logo")).body.data.uploaded as string | null;

  test.each([
    { language: "en", width: 1440, theme: "light", title: "Uploaded logo", choose: "Upload a logo" },
    { language: "de", width: 320, theme: "dark", title: "Hochgeladenes Logo", choose: "Logo hochladen" },
  ] as const)(
    "is chosen, shown, refused with a reason and removed by keyboard ($language, $width px)",
    async ({ title, choose, ...view }) => {
      const german = view.language === "de";
      const watched = await subject.open("/console/settings", view);
      const { page } = watched;
      const card = page.getByRole("region", { name: title });
      const give = async (button: string, mimeType: string, content: string | Buffer) => {
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          pressAt(card.getByRole("button", { name: button })),
        ]);
        await chooser.setFiles({ name: "logo", mimeType, buffer: Buffer.from(content) });
      };
      await give(choose, "image/svg+xml", svg("<script>alert(1)</script>"));
      await card.getByText(german ? "Die SVG-Datei enthält ein Skript" : "The SVG contains a script").waitFor();
      expect(await uploaded()).toBeNull();
      expect(await card.getByRole("img").count()).toBe(0);

      await give(choose, "image/png", png);
      await expect.poll(() => card.getByRole("img").count()).toBe(2);
      expect(await uploaded()).toMatch(/^[\da-f]{64}$/);
      const widths = () => page.evaluate(`[...document.querySelectorAll("figure img")].map((one) => one.naturalWidth)`);
      await expect.poll(widths).toEqual([1, 1]);
      await expectGoodConsole(watched);

      await pressAt(card.getByRole("button", { name: german ? /entfernen$/ : /^Remove/ }));
      await expect.poll(uploaded).toBeNull();
      await card.getByRole("button", { name: choose }).waitFor();
      await watched.context.close();
    },
  );

  test("has no buttons for users who may not change the settings", async () => {
    await subject.api.as
      .admin(subject.realm)
      .send("PUT", "/api/realm/logo", { raw: png, headers: { "content-type": "image/png" } });
    const watched = await subject.open("/console/settings", {}, auditor);
    const card = watched.page.getByRole("region", { name: "Uploaded logo" });
    await card.getByRole("img").first().waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await watched.context.close();
  });
});
