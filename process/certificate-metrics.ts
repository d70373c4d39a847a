import { Gauge, type Registry } from "prom-client";

/** Registers when the certificates end that the process was configured with, by what they are for. */
export function countDownTo(
  registry: Registry,
  ends: Readonly<Partial<Record<"tls" | "profile_signing", Date>>>,
): void {
  const gauge = new Gauge({
    name: "realmpass_certificate_not_after_seconds",
    help: "When a configured certificate ends, in seconds since 1970, by its use.",
    labelNames: ["use"],
    registers: [registry],
  });
  for (const [use, end] of Object.entries(ends)) gauge.set({ use }, end.getTime() / 1_000);
}
