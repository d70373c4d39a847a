import { Gauge, type Registry } from "prom-client";
import { endingDays } from "../domain/process.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Beat } from "./beat.ts";

/** The uses of configured certificates: each one's name in the metric and its words in messages. */
const uses = {
  tls: "the certificate of the TLS listener",
  profile_signing: "the certificate that signs configuration profiles",
} as const;

const lookAgainMs = 3_600_000;
const dayMs = 86_400_000;

/** Reports when a configured certificate expires: as a metric, and as a problem three weeks before. */
export function countDownTo(
  use: keyof typeof uses,
  end: Date,
  {
    registry,
    beat,
    clock,
    lifecycle,
  }: { registry: Registry; beat: Pick<Beat, "report" | "end">; clock: Clock; lifecycle: Lifecycle },
): void {
  new Gauge({
    name: "realmpass_certificate_not_after_seconds",
    help: "When a configured certificate ends, in seconds since 1970, by its use.",
    labelNames: ["use"],
    registers: [registry],
  }).set({ use }, end.getTime() / 1_000);

  const detail = `${uses[use]}, on ${end.toISOString().slice(0, "2027-01-31".length)}`;
  const look = (): void => {
    const left = end.getTime() - clock.now().getTime();
    if (left <= 0) {
      beat.end("certificate_ending", detail);
      beat.report("certificate_ended", detail);
    } else if (left < endingDays * dayMs) beat.report("certificate_ending", detail);
  };
  look();
  const timer = setInterval(look, lookAgainMs);
  lifecycle.onStop("certificate", () => {
    clearInterval(timer);
  });
}
