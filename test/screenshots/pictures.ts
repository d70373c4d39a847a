import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { userAgents } from "../support/browser/user-agents.ts";

export interface Picture {
  /** The name of the file, without the theme. */
  name: string;
  path: string;
  width?: number;
  height?: number;
  userAgent?: string;
  /** Takes the picture of the page as a person without a session sees it. */
  signedOut?: true;
  /** Runs before the picture is taken. */
  show?: (page: Page, url: string) => Promise<unknown>;
}

const phone = { width: 390, height: 844, userAgent: userAgents.iPhone } as const;

/**
 * The pictures of README and docs, in this order: a later picture can show data that an earlier picture's steps made.
 */
export const pictures: readonly Picture[] = [
  {
    name: "dashboard",
    path: "/console",
    height: 1000,
    async show(page) {
      await page.click("button:has-text('30 days')");
      await page.waitForSelector("main section[aria-label='Issued and revoked profiles'] svg.bars");
      await page.mouse.move(0, 0);
      await page.evaluate("scrollTo(0, 0)");
    },
  },
  { name: "users", path: "/console/users", show: (page) => page.waitForSelector("tbody tr") },
  {
    name: "user",
    path: "/console/users",
    async show(page) {
      await page.click("tbody tr >> nth=5 >> a");
      await page.waitForSelector("h2");
    },
  },
  { name: "profiles", path: "/console/profiles", show: (page) => page.waitForSelector("tbody tr") },
  { name: "guests", path: "/console/guests", show: (page) => page.waitForSelector("tbody tr") },
  { name: "infrastructure", path: "/console/infrastructure", show: (page) => page.waitForSelector("tbody tr") },
  { name: "jobs", path: "/console/jobs", show: (page) => page.waitForSelector("tbody tr") },
  { name: "audit", path: "/console/audit", show: (page) => page.waitForSelector("tbody tr") },
  {
    name: "bulk-check",
    path: "/console/jobs/new/onboarding",
    async show(page) {
      const file = { name: "students.csv", mimeType: "text/csv", buffer: Buffer.from(peopleWithProblems()) };
      await page.setInputFiles("input[type=file]", file);
      await page.waitForSelector("button:has-text('Start for')", { timeout: 60_000 });
    },
  },
  {
    name: "bulk-run",
    path: "/console/jobs/new/onboarding",
    async show(page) {
      const file = { name: "students.csv", mimeType: "text/csv", buffer: Buffer.from(newPeople(60_000)) };
      await page.setInputFiles("input[type=file]", file);
      await page.click("button:has-text('Start for')", { timeout: 120_000 });
      await page.waitForSelector("text=/per second/", { timeout: 60_000 });
      // Waits until a third of the job is done, but not all of it.
      const bar = page.locator("main [role=progressbar]");
      while (Number(await bar.getAttribute("aria-valuenow")) < 20_000) await page.waitForTimeout(50);
    },
  },
  { name: "applications", path: "/console/applications", show: (page) => page.waitForSelector("tbody tr") },
  { name: "register", path: "/console/applications/new" },
  { name: "settings", path: "/console/settings", show: (page) => page.waitForSelector("input") },
  { name: "add-device", path: "/me/devices/new", ...phone },
  {
    name: "device-ready",
    path: "/me/devices/new",
    ...phone,
    async show(page) {
      await page.click("text=On this device");
      await page.waitForSelector("button.large");
    },
  },
  { name: "my-devices", path: "/me", ...phone },
  {
    name: "hand-over",
    path: "/me/devices/new",
    async show(page) {
      await page.click("text=On another device");
      await page.waitForSelector("svg");
    },
  },
];

/** Returns a typical upload file: most rows are valid, a few are not. */
function peopleWithProblems(): string {
  const rows = Array.from({ length: 412 }, (_, index) => `s${10_000 + index};s${index}@demo.example;3`);
  rows[17] = "s10017;not an address;3";
  rows[101] = "s10003;s3@demo.example;3";
  rows[240] = "s10240;s240@demo.example;many";
  rows[333] = ";s333@demo.example;3";
  return ["pairwiseID;email;maxProfiles", ...rows].join("\r\n");
}

/** Returns people who are new to the service, however often the picture is taken. */
function newPeople(count: number): string {
  const prefix = randomUUID().slice(0, 8);
  const rows = Array.from({ length: count }, (_, index) => `${prefix}-${index},${prefix}-${index}@demo.example`);
  return ["pairwiseID,email", ...rows].join("\n");
}
