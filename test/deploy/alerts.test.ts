import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeWithTool } from "../support/run/tools.ts";

const promtool = (...argv: string[]): string =>
  execFileSync("promtool", argv, { cwd: "deploy/prometheus", encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

describeWithTool("promtool", "Prometheus' own checker", () => {
  test("finds nothing wrong with the alerts", () => {
    expect(promtool("check", "rules", "rules.yml")).toContain("SUCCESS");
  });

  test("sees each alert fire only when it should", () => {
    expect(promtool("test", "rules", "rules.test.yml")).toContain("SUCCESS");
  });

  test("finds the processes on the ports of their units", () => {
    expect(promtool("check", "config", "--syntax-only", "scrape.yml")).toContain("SUCCESS");
    const ports = [...readFileSync("deploy/prometheus/scrape.yml", "utf8").matchAll(/127\.0\.0\.1:(\d+)/g)];
    expect(ports.map(([, port]) => port)).toEqual(["13000", "13001", "19461", "19462", "14000", "14001"]);
    const [api, worker] = ["api", "worker"].map((name) =>
      readFileSync(`deploy/systemd/realmpass-${name}@.service`, "utf8"),
    );
    expect(api).toContain("REALMPASS_METRICS_PORT=1%i");
    expect(worker).toContain("REALMPASS_METRICS_PORT=1946%i");
  });
});
