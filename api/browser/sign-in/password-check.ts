import type { PasswordCheck } from "../../contract/deps.ts";
import { verify } from "@node-rs/argon2";
import { passwordBytesMax } from "../../../domain/limits.ts";
import { passwordCost } from "../../../domain/password-cost.ts";
import { createTurns } from "./turns.ts";

/**
 * A hash that matches no password, as costly to check as stored ones: a name without a password is refused after the
 * same work.
 */
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
  const inTurn = createTurns({ atOnceMax, waitingMax });
  return async (password, hash) => {
    const possible = Buffer.byteLength(password) <= passwordBytesMax;
    const matches = await inTurn(() => verify(hash ?? dummyHash, possible ? password : ""));
    return matches && possible && typeof hash === "string";
  };
}
