import { expect, test } from "vitest";
import { systemClock } from "../../../runtime/clock.ts";
import { createResponder, type ResponderDeps } from "../../../responder/responder.ts";

/** A responder that answers before it asks for anything but the time. */
const responderAt = (clock: ResponderDeps["clock"]) => createResponder({ clock } as ResponderDeps);

test("a responder whose clock is out of step tells its clients to try later", async () => {
  const { outcome } = await responderAt({ ...systemClock, isInStep: () => false }).answer(
    "1",
    Buffer.alloc(0),
    "192.0.2.1",
  );
  expect(outcome).toBe("tryLater");
});

test("a responder whose clock is right reads the request", async () => {
  const { outcome } = await responderAt(systemClock).answer("1", Buffer.alloc(0), "192.0.2.1");
  expect(outcome).toBe("malformedRequest");
});
