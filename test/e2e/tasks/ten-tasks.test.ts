import { beforeAll, expect, test, vi } from "vitest";
import { countedHands, type Hands, type Way } from "../../support/browser/counted-hands.ts";
import { pagesMs } from "../../support/browser/console-views.ts";
import type { GivenUser } from "../../support/given/given.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "the ten tasks of help desk and installer", () => {
  const subject = useConsole();
  const { given } = subject.api;
  const desk = { username: "desk" };
  let people = 0;

  interface Person {
    user: GivenUser;
    /** A text that finds only this person. */
    name: string;
    /** The serial number of the profile on the person's phone. */
    phone: string;
  }

  beforeAll(async () => {
    const { realmId } = subject.realm;
    await givenLocalAccount(subject.api, { ...desk, realmId, roles: ["help_desk"] });
    await subject.api.as.service({ realmId }).post("/api/setup/finish");
  });

  const person = async (): Promise<Person> => {
    const name = `Mia Keller${(people += 1)}`;
    const { realmId } = subject.realm;
    const user = await given.user({ realmId, displayName: name, email: `mia${people}@example.org` });
    return { user, name, phone: await given.profile(user, { name: "Mia's phone", deviceType: "Android" }) };
  };
  const profileOf = async (serial: string) =>
    (await subject.api.as.service({ realmId: subject.realm.realmId }).get(`/api/profiles/${serial}`)).body.data;
  const userOf = async ({ id }: GivenUser) =>
    (await subject.api.as.service({ realmId: subject.realm.realmId }).get(`/api/user/${id}`)).body.data;
  const button = ({ page }: Hands, name: string | RegExp) => page.getByRole("main").getByRole("button", { name });
  const onHit = ({ page }: Hands, name: string) =>
    page.getByRole("group", { name: /^Actions on / }).getByRole("button", { name });
  const inDialog = ({ page }: Hands, name: string | RegExp) =>
    page.getByRole("dialog").last().getByRole("button", { name });

  interface Task {
    /** True: the help desk does the task; otherwise an administrator. */
    desk?: true;
    /** The maximum number of actions; if release 0.2.0 had the task, the number counted there. */
    most: Readonly<Record<Way, number>>;
    /** Does the task, starting at the first page, and expects the result. */
    work: (hands: Hands, who: Person) => Promise<unknown>;
  }

  const tasks: Readonly<Record<string, Task>> = {
    "learning why a person's device is not on the Wi-Fi": {
      desk: true,
      most: { keyboard: 2, finger: 2 },
      async work(hands, { name }) {
        await hands.find(name);
        await hands.page
          .getByRole("region", { name: /^Why is / })
          .getByText("Mia's phone")
          .first()
          .waitFor();
      },
    },
    "finding a device by the end of its serial number": {
      desk: true,
      most: { keyboard: 2, finger: 2 },
      async work(hands, { phone }) {
        await hands.find(phone.slice(-8));
        await hands.page.getByRole("dialog").getByText(phone).first().waitFor();
      },
    },
    "making a set-up code to read out": {
      desk: true,
      most: { keyboard: 4, finger: 3 },
      async work(hands, { name }) {
        await hands.search(name);
        await hands.press(onHit(hands, "Send a set-up link"));
        const dialog = hands.page.getByRole("dialog", { name: "Set up a device of this person" });
        await hands.type(dialog.getByRole("textbox").first(), "tablet");
        await hands.send(dialog.locator("[type=submit]"));
        await dialog.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/).waitFor();
      },
    },
    "revoking a lost phone": {
      desk: true,
      most: { keyboard: 8, finger: 4 },
      async work(hands, { phone }) {
        await hands.search(phone.slice(-8));
        await hands.press(onHit(hands, "Revoke"));
        await hands.press(inDialog(hands, /^Revoke “/));
        await hands.page.getByText("“Mia's phone” is revoked.").waitFor();
        expect(await profileOf(phone)).toMatchObject({ revokeTime: expect.any(String) });
      },
    },
    "locking a person": {
      desk: true,
      most: { keyboard: 4, finger: 3 },
      async work(hands, { name, user }) {
        await hands.search(name);
        await hands.press(onHit(hands, "Lock"));
        await hands.page.getByRole("main").getByRole("button", { name: "Unlock" }).waitFor();
        expect(await userOf(user)).toMatchObject({ locked: true });
      },
    },
    "giving a guest a link": {
      most: { keyboard: 7, finger: 4 },
      async work(hands) {
        await hands.find("new guest");
        await hands.type(hands.page.getByRole("dialog").locator('[data-path="name"]'), "Summer school");
        await hands.send(hands.page.getByRole("dialog").locator("[type=submit]"));
        await hands.page.waitForURL(/\/guests\/\d+/);
        await hands.press(button(hands, "Show link"));
        await hands.page.getByLabel("Guest link").getByText("/guest/rpg_").waitFor();
      },
    },
    "making the RADIUS server's certificate": {
      most: { keyboard: 3, finger: 3 },
      async work(hands) {
        await hands.find("new server certificate");
        await hands.type(hands.page.getByRole("dialog").locator('[data-path="name"]'), `radius${people}.example.org`);
        await hands.send(hands.page.getByRole("dialog").locator("[type=submit]"));
        await hands.page.getByText("Only available now").waitFor();
      },
    },
    "naming the addresses of the RADIUS servers": {
      most: { keyboard: 23, finger: 6 },
      async work(hands) {
        await subject.api.as.service(subject.realm).put("/api/realm/settings", { radiusAddresses: [] });
        await hands.find("settings");
        await hands.type(hands.page.locator('[data-path="radiusAddresses"]'), `192.0.2.${people}\n`);
        await hands.press(hands.page.locator('main #servers [type="submit"]'));
        await hands.press(inDialog(hands, "Save"));
        await hands.page.getByText("Saved: RADIUS servers").waitFor();
      },
    },
    "making a colleague help desk": {
      most: { keyboard: 21, finger: 5 },
      async work(hands, { name, user }) {
        await hands.search(name);
        await hands.press(onHit(hands, "Change roles"));
        await hands.tick(hands.page.getByRole("dialog").getByRole("checkbox", { name: "Help desk" }));
        await hands.press(inDialog(hands, "Save"));
        await hands.page.getByRole("region", { name: "Roles" }).getByText("Help desk").waitFor();
        const { body } = await subject.api.as.admin(subject.realm).get(`/api/user/${user.id}/roles`);
        expect(body.data).toMatchObject({ roles: ["help_desk"] });
      },
    },
    "writing a note on a person": {
      most: { keyboard: 13, finger: 4 },
      async work(hands, { name }) {
        await hands.find(name);
        await hands.press(button(hands, "Write a note"));
        await hands.type(hands.page.getByRole("dialog").getByRole("textbox", { name: "Note" }), "Calls back at ten.");
        await hands.press(inDialog(hands, "Save"));
        await hands.page.getByRole("main").getByText("Calls back at ten.").waitFor();
      },
    },
  };

  const rows = Object.entries(tasks).flatMap(([name, task]) =>
    (["keyboard", "finger"] as const).map((way) => [name, task.most[way], way, task] as const),
  );

  test.each(rows)("%s takes at most %i actions by %s", async (_, most, way, task) => {
    const who = await person();
    const view = way === "finger" ? { width: 390 } : {};
    const watched = await subject.open("/console", view, task.desk === true ? desk : subject.administrator);
    const hands = await countedHands(watched, way);
    await task.work(hands, who);
    const actions = await hands.actions();
    expect(actions).toBeGreaterThan(0);
    expect(actions).toBeLessThanOrEqual(most);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("control: each key outside a text field and each pointer press count as an action, and typed text does not", async () => {
    const watched = await subject.open("/console");
    const { page } = watched;
    const hands = await countedHands(watched, "keyboard");
    await hands.search("mia");
    expect(await hands.actions()).toBe(1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    expect(await hands.actions()).toBe(3);
    await page.locator("h1").click();
    expect(await hands.actions()).toBe(4);
    await watched.context.close();
  });
});
