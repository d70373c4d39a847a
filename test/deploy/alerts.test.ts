import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithTool } from "../support/run/tools.ts";

const promtool = (...argv: string[]): string =>
  execFileSync("promtool", argv, { cwd: "deploy/prometheus", encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

describeWithTool("promtool", "Prometheus' own checker", () => {
  test("finds nothing wrong with the alerts", () => {
    expect(promtool("check", "rules", "rules.yml")).toContain("SUCCESS");
  });

  // Simulating hours of series takes most of a minute on an idle machine.
  test("sees each alert fire only when it should", { timeout: 600_000 }, () => {
    const read = (name: string): string => readFileSync(`deploy/prometheus/${name}`, "utf8");
    const alerts = [...read("rules.yml").matchAll(/\balert: (\w+)/g)].map(([, alert]) => alert);
    const tested = new Set([...read("rules.test.yml").matchAll(/\balertname: (\w+)/g)].map(([, alert]) => alert));
    expect(alerts.length).toBeGreaterThan(20);
    expect(alerts.filter((alert) => !tested.has(alert))).toEqual([]);
    expect(promtool("test", "rules", "rules.test.yml")).toContain("SUCCESS");
  });

  test("parses each query of the dashboard", () => {
    const { panels } = JSON.parse(readFileSync("deploy/grafana/realmpass.json", "utf8")) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets = [] }) => targets).map(({ expr }) => expr);
    const checked = (exprs: readonly string[]): string => {
      const directory = mkdtempSync(join(tmpdir(), "realmpass-dashboard-"));
      onTestFinished(() => {
        rmSync(directory, { recursive: true });
      });
      // Grafana replaces this variable with a duration.
      const rules = exprs.map((expr, at) => ({ record: `q:${at}`, expr: expr.replaceAll("$__rate_interval", "5m") }));
      writeFileSync(join(directory, "rules.json"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
      return promtool("check", "rules", join(directory, "rules.json"));
    };
    expect(queries.length).toBeGreaterThan(30);
    expect(checked(queries)).toContain(`SUCCESS: ${queries.length} rules found`);
    expect(() => checked(["sum by (kind (realmpass_jobs)"])).toThrow("parse error");
  });

  test("accepts the scrape configuration, which has the ports of the units", () => {
    expect(promtool("check", "config", "--syntax-only", "scrape.yml")).toContain("SUCCESS");
    const ports = [...readFileSync("deploy/prometheus/scrape.yml", "utf8").matchAll(/127\.0\.0\.1:(\d+)/g)];
    expect(ports.map(([, port]) => port)).toEqual(["13000", "13001", "19461", "19462", "14000", "14001"]);
    const [api, worker, responder] = ["api", "worker", "responder"].map((name) =>
      readFileSync(`deploy/systemd/realmpass-${name}@.service`, "utf8"),
    );
    expect(api).toContain("REALMPASS_METRICS_PORT=1%i");
    expect(worker).toContain("REALMPASS_METRICS_PORT=1946%i");
    expect(responder).toContain("REALMPASS_METRICS_PORT=1%i");
  });
});
