/**
 * `npm run screenshots`: takes the pictures of README and docs from the running service with sample data, in both themes,
 * so that they show what is there. Needs Chromium.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { freePort } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { pictures, type Picture } from "./pictures.ts";

const folder = "docs/images";

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-screenshots-"));
  const service = await start(directory);
  const browser = await chromium.launch({
    executablePath: requireTool("chromium-headless-shell"),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    await mkdir(folder, { recursive: true });
    const cookies = await signIn(browser, service.signInUrl);
    for (const picture of pictures) {
      for (const theme of ["light", "dark"] as const)
        await take(browser, { picture, theme, url: service.url, cookies });
    }
  } finally {
    await browser.close();
    await service.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

interface Started {
  url: string;
  /** Of the first administrator. */
  signInUrl: string;
  stop(): Promise<void>;
}

/** The service as `npm run dev` starts it, in a directory of its own. */
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
  // The link offers a first password.
  await page.waitForURL((url) => url.href !== signInUrl);
  await page.goto(new URL("/console", signInUrl).href);
  await page.waitForSelector("nav");
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

interface Shot {
  picture: Picture;
  theme: "light" | "dark";
  url: string;
  cookies: Cookies;
}

async function take(browser: Browser, { picture, theme, url, cookies }: Shot): Promise<void> {
  const { name, width = 1440, height = 900, userAgent, path, show } = picture;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    deviceScaleFactor: width < 600 ? 2 : 1,
    locale: "en-GB",
    reducedMotion: "reduce",
    ...(userAgent !== undefined && { userAgent }),
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  await page.waitForSelector("h1");
  await show?.(page, url);
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  await context.close();
}

await main();
