import { verify } from "@node-rs/argon2";
import { ServiceError } from "../../../domain/errors.ts";

/** Longer ones are nobody's: `user create` takes none, and hashing more only costs time. */
const passwordBytesMax = 1024;

/** Each takes 19 MiB and a core for tens of milliseconds. */
const atOnceMax = 2;
/** More would wait longer than anybody does. */
const waitingMax = 100;

/** No password's, at the cost of those that are: comparing with it takes as long. */
export const nobodysHash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Whether this is the password of an argon2id hash. Without a hash it is not, after the same work. The process checks two
 * at a time; throws `unavailable` when too many others wait.
 */
export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const possible = Buffer.byteLength(password) <= passwordBytesMax;
  await takeTurn();
  try {
    const matches = await verify(hash ?? nobodysHash, possible ? password : "");
    return matches && possible && typeof hash === "string";
  } finally {
    passTurn();
  }
}

async function takeTurn(): Promise<void> {
  if (running < atOnceMax) {
    running += 1;
    return;
  }
  if (waiting.length >= waitingMax) throw new ServiceError("unavailable", { retryAfterSeconds: 5 });
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The next one has the turn at once, so that nobody comes in between. */
function passTurn(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
