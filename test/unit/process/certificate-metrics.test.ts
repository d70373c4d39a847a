import { Registry } from "prom-client";
import { afterEach, expect, test, vi } from "vitest";
import { countDownTo } from "../../../process/certificate-metrics.ts";
import { systemClock } from "../../../runtime/clock.ts";
import type { Lifecycle } from "../../../runtime/lifecycle.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a certificate is a problem in its last three weeks, another problem after its end, and always a metric", async () => {
  vi.useFakeTimers({ now: new Date("2027-01-01T00:00:00Z") });
  const registry = new Registry();
  const beat = { report: vi.fn(), end: vi.fn() };
  const lifecycle = { onStop: vi.fn() } as unknown as Lifecycle;
  const end = new Date("2027-01-31T00:00:00Z");
  countDownTo("tls", end, { registry, beat, clock: systemClock, lifecycle });
  expect(beat.report).not.toHaveBeenCalled();
  const metric = `{use="tls"} ${end.getTime() / 1_000}`;
  expect(await registry.metrics()).toContain(metric);

  vi.advanceTimersByTime(9 * 86_400_000);
  expect(beat.report).not.toHaveBeenCalled();
  vi.advanceTimersByTime(86_400_000);
  expect(beat.report).toHaveBeenLastCalledWith(
    "certificate_ending",
    "the certificate of the TLS listener, on 2027-01-31",
  );
  vi.advanceTimersByTime(20 * 86_400_000);
  expect(beat.report).toHaveBeenLastCalledWith("certificate_ended", expect.any(String));
  expect(beat.end).toHaveBeenCalledWith("certificate_ending", expect.any(String));
  expect(await registry.metrics()).toContain(metric);
});
