import { fork } from "node:child_process";
import { expect, test } from "vitest";
import { atEnd } from "../../support/run/at-end.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { ended, freePort } from "../../support/run/services.ts";
import { shellBlocks } from "../../support/run/shell-blocks.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();

/** Stands in for `docker compose run --rm operator`: the operator program, in the environment of the services. */
const inContainer = "docker compose run --rm operator ";

test("the README's lines for docker compose lead to a signed-in administrator", async () => {
  const blocks = await shellBlocks("README.md", "Running it for real");
  const lines =
    blocks
      .find((block) => block.includes("docker compose"))
      ?.trimEnd()
      .split("\n") ?? [];
  expect(lines.shift()).toBe("docker compose up -d --wait");

  const base = `http://localhost:${await freePort()}`;
  const env = { REALMPASS_BASE_URL: base, REALMPASS_METRICS_PORT: "0" };
  let printed = "";
  for (const line of lines) {
    expect(line).toContain(inContainer);
    const { code, out, err } = await operator.runPlain(line.slice(inContainer.length).split(" "), { env });
    expect([line, code, err]).toEqual([line, 0, expect.anything()]);
    printed = out;
  }
  expect(printed).toMatch(new RegExp(`^${base}/sign-in/\\S+\\n$`));

  const api = fork("dist/api/main.js", {
    env: { PATH: process.env["PATH"], ...operator.env(), ...env, PORT: new URL(base).port },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  atEnd(() => ended(api));
  await new Promise((resolve, reject) => {
    api.once("message", resolve);
    api.once("exit", reject);
  });
  const browser = createBrowserSession(() => [base]);
  const signedIn = await browser.submit(await browser.get(printed.trimEnd()), {});
  expect([signedIn.status, new URL(signedIn.url).pathname]).toEqual([200, "/login/password"]);
  const page = await browser.get(`${base}/console`);
  expect([page.status, new URL(page.url).pathname]).toEqual([200, "/console"]);
});
