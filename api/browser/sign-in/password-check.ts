import type { PasswordCheck } from "../../contract/deps.ts";
import { verify } from "@node-rs/argon2";
import { ServiceError } from "../../../domain/errors.ts";
import { passwordBytesMax } from "../../../domain/limits.ts";
import { passwordCost } from "../../../domain/password-cost.ts";

/** The hash of no password, as costly as stored ones: a name without a password is refused after the same work. */
export const defaultDummyHash = `$argon2id$v=19$${parameters(passwordCost)}$${"A".repeat(22)}$${"A".repeat(43)}`;

function parameters({ memoryCost, timeCost, parallelism }: typeof passwordCost): string {
  return `m=${memoryCost},t=${timeCost},p=${parallelism}`;
}

/**
 * Creates a password check that runs `atOnceMax` at a time, each taking 19 MiB and a core for tens of milliseconds, and
 * lets `waitingMax` more wait.
 */
export function createPasswordCheck({
  dummyHash = defaultDummyHash,
  atOnceMax = 2,
  waitingMax = 100,
}: { dummyHash?: string; atOnceMax?: number; waitingMax?: number } = {}): PasswordCheck {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function takeTurn(): Promise<void> {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.length >= waitingMax) throw new ServiceError("unavailable", { retryAfterSeconds: 5 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Passes the turn straight to the next in line, so no other check gets in between. */
  function passTurn(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return async (password, hash) => {
    const possible = Buffer.byteLength(password) <= passwordBytesMax;
    await takeTurn();
    try {
      const matches = await verify(hash ?? dummyHash, possible ? password : "");
      return matches && possible && typeof hash === "string";
    } finally {
      passTurn();
    }
  };
}
