/**
 * `npm run screenshots`: takes the pictures of README and docs from the running service with sample data, in both
 * themes, so that they show the current screens. `npm run screenshots -- --more DIRECTORY` instead takes pictures of
 * screens that no document shows, for a person to look at. Needs Chromium.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Browser } from "playwright-core";
import { freePort } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { morePictures } from "./more-pictures.ts";
import { pictures, type Picture } from "./pictures.ts";

interface Look {
  theme: "light" | "dark";
  language: "en" | "de";
  /** Replaces the picture's own size. */
  size?: { width: number; height: number };
}

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Each picture of `--more` is taken in each theme and each language at each size. */
const moreLooks: readonly Look[] = [
  { theme: "light", language: "en", size: desktop },
  { theme: "dark", language: "de", size: desktop },
  { theme: "light", language: "de", size: phone },
  { theme: "dark", language: "en", size: phone },
];

const looks: readonly Look[] = [
  { theme: "light", language: "en" },
  { theme: "dark", language: "en" },
];

async function main(): Promise<void> {
  const { more } = parseArgs({ options: { more: { type: "string" } } }).values;
  const folder = more ?? "docs/images";
  const directory = await mkdtemp(join(tmpdir(), "realmpass-screenshots-"));
  const service = await start(directory);
  const browser = await chromium.launch({
    executablePath: requireTool("chromium-headless-shell"),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    await mkdir(folder, { recursive: true });
    const cookies = await signIn(browser, service.signInUrl);
    for (const picture of more === undefined ? pictures : morePictures) {
      for (const look of more === undefined ? looks : moreLooks)
        await take(browser, { picture, look, folder, url: service.url, cookies });
    }
  } finally {
    await browser.close();
    await service.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

interface Started {
  url: string;
  /** The first administrator's sign-in link. */
  signInUrl: string;
  stop(): Promise<void>;
}

/** Starts the service as `npm run dev` does, in this directory. */
async function start(directory: string): Promise<Started> {
  const port = await freePort();
  const child = spawn(process.execPath, ["--import", "tsx", "start.ts", "--sample-data"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: directory,
      PORT: String(port),
      REALMPASS_DATA_DIRECTORY: join(directory, "data"),
      REALMPASS_METRICS_PORT: "0",
      REALMPASS_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    const [signInUrl] = /http:\S+\/sign-in\/\S+/.exec(output) ?? [];
    if (signInUrl !== undefined) return { url: `http://localhost:${port}`, signInUrl, stop };
  }
  throw new Error("the service did not start; its message is above");
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["cookies"]>>;

/** Signs the administrator in, to the pages and to the console. */
async function signIn(browser: Browser, signInUrl: string): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(signInUrl);
  await page.click("main form button");
  // The link leads to a page that offers a first password.
  await page.waitForURL((url) => url.href !== signInUrl);
  await page.goto(new URL("/console", signInUrl).href);
  await page.waitForSelector("nav");
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

interface Shot {
  picture: Picture;
  look: Look;
  folder: string;
  url: string;
  cookies: Cookies;
}

async function take(browser: Browser, { picture, look, folder, url, cookies }: Shot): Promise<void> {
  const { name, userAgent, path, signedOut = false, show } = picture;
  const { theme, language, size } = look;
  const { width = desktop.width, height = desktop.height } = size ?? picture;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    deviceScaleFactor: width < 600 ? 2 : 1,
    locale: language === "de" ? "de-DE" : "en-GB",
    reducedMotion: "reduce",
    ...(userAgent !== undefined && { userAgent }),
  });
  if (!signedOut) await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  await page.waitForSelector("h1");
  await show?.(page, url);
  await page.waitForTimeout(1_500);
  const of = size === undefined ? theme : `${theme}-${language}-${width}`;
  await page.screenshot({ path: join(folder, `${name}-${of}.png`), fullPage: size !== undefined });
  await context.close();
}

await main();
