import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRegistry } from "../../process/metrics.ts";

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string; legendFormat: string }[];
}
const { panels } = JSON.parse(readFileSync("deploy/grafana/realmpass.json", "utf8")) as { panels: Panel[] };
const targets = panels.flatMap((panel) => panel.targets ?? []);
const alerts = [...readFileSync("deploy/prometheus/rules.yml", "utf8").matchAll(/expr: (.*)$/gm)].map(
  ([, expr]) => expr!,
);

/** The labels that Prometheus adds: deploy/prometheus/scrape.yml. */
const scraped = ["job", "instance", "process"];

/** The labels of each metric, as the code declares it. */
const declared = new Map<string, string[]>(
  ["api", "worker", "responder", "process", "runtime"]
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: "utf8" }).map((file) => join(room, file)))
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => declaredIn(readFileSync(file, "utf8"))),
);

function declaredIn(source: string): [string, string[]][] {
  // A function that makes several similar gauges gets their names as arguments.
  const given = [...source.matchAll(/\bgauge\(\s*"(\w+)"/g)].map(([, name]) => name!);
  return [...source.matchAll(/new (Gauge|Counter|Histogram)\(\{([^]*?)registers/g)].flatMap(([, type, body = ""]) => {
    const named = /name: "(\w+)"/.exec(body)?.[1];
    const list = /labelNames: \[([^\]]*)\]/.exec(body)?.[1] ?? "";
    const labels = [...list.matchAll(/"(\w+)"/g)].map(([, label]) => label!);
    if (type === "Histogram") labels.push("le");
    return (named === undefined ? given : [named]).map((name): [string, string[]] => [name, labels]);
  });
}
for (const { name } of await createRegistry().getMetricsAsJSON()) declared.set(name, []);

/** Returns the metrics and labels in a query that no process exports. */
function unknownIn(expr: string, legend = ""): string[] {
  const names = [...expr.matchAll(/realmpass_\w+/g)].map(([name]) => name);
  const known = names.map((name) => declared.get(name) ?? declared.get(name.replace(/_(?:bucket|sum|count)$/, "")));
  const labels = [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
    ...[...expr.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, name]) => name!),
    ...[...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name!),
  ];
  const allowed = [...known.flatMap((each) => each ?? []), ...scraped];
  return [
    ...names.filter((_, index) => known[index] === undefined),
    ...labels.filter((label) => !allowed.includes(label)),
  ];
}

test("the metrics that the code declares are found", () => {
  expect(declared.size).toBeGreaterThan(50);
  expect(declared.get("realmpass_http_request_seconds")).toEqual(["method", "route", "status", "le"]);
  expect(unknownIn('sum by (rout) (realmpass_http_request_second{statu="500"})', "{{metod}}")).toEqual([
    "realmpass_http_request_second",
    "rout",
    "statu",
    "metod",
  ]);
});

describe("the dashboard", () => {
  test.each(targets)("shows only metrics and labels that exist: $expr", ({ expr, legendFormat }) => {
    expect(expr).toMatch(/realmpass_/);
    expect(unknownIn(expr, legendFormat)).toEqual([]);
  });

  /** Metrics only for alerts, and for finding out where time goes. */
  const beside = [
    "realmpass_app_authorizations_total",
    "realmpass_app_files_total",
    "realmpass_batch_size",
    "realmpass_crl_this_update_seconds",
    "realmpass_revoked_feed_lines_total",
    "realmpass_scim_deactivations_total",
    "realmpass_scim_held_people",
    "realmpass_short_codes_total",
    "realmpass_upstream_answer_seconds",
    "realmpass_upstream_refusals_total",
  ];

  test("shows each metric of the service that docs/health.md lists, except those for alerts and diagnosis only", () => {
    const listed = [...readFileSync("docs/health.md", "utf8").matchAll(/^\| `realmpass_[^|]*/gm)].flatMap(([row]) => [
      ...row.matchAll(/realmpass_\w+/g),
    ]);
    const text = targets.map(({ expr }) => expr).join("\n");
    const missing = listed.map(([name]) => name).filter((name) => !text.includes(name));
    expect(missing.sort()).toEqual(beside);
  });
});

test.each(alerts)("an alert uses only metrics and labels that exist: %s", (expr) => {
  expect(expr).toMatch(/realmpass_|\bup\{/);
  expect(unknownIn(expr)).toEqual([]);
});
