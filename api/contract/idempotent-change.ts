import { createHash } from "node:crypto";
import type { Database, Db } from "../../db/client.ts";
import * as idempotencyKeys from "../../db/queries/issuance/idempotency-keys.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Clock } from "../../runtime/clock.ts";
/** The stored result of a change: plain JSON, ids rather than contents, never an unsealed secret. */
type Remembered =
  string | number | boolean | null | undefined | readonly Remembered[] | { readonly [name: string]: Remembered };

/**
 * Runs `body` in one transaction. With an Idempotency-Key, a repeated request does not run `body` again: it waits for
 * the first request if that is still running, and gets the first request's result. A failed change is not stored.
 */
export type Change = <Result extends Remembered>(
  body: (tx: Db) => Promise<Result>,
  /** Makes the change in separate transactions. Called instead of `body` if there is no Idempotency-Key. */
  alone?: () => Promise<Result>,
) => Promise<Result>;

export interface ChangeRequest {
  /** The header as sent. */
  idempotencyKey: string | undefined;
  scope: string;
  method: string;
  /** Path and query as sent. */
  target: string;
  /** Returns a text that is the same for the same body. Called once the body has been read. */
  content: () => string;
}

/** Returns the `change` of one request. Throws `invalid_request` if the key is malformed. */
export function changeOf({ db, clock }: { db: Database; clock: Clock }, request: ChangeRequest): Change {
  const key = request.idempotencyKey;
  if (key === undefined) return (body, alone = () => db.transaction(body)) => alone();
  if (!/^[!-~]{1,255}$/.test(key)) {
    throw new ServiceError("invalid_request", {
      fields: [{ path: "Idempotency-Key", reason: "must be 1 to 255 visible ASCII characters" }],
    });
  }
  const { scope } = request;
  return (body) => {
    const fingerprint = fingerprintOf(request);
    return db.transaction(async (tx) => {
      const taking = await idempotencyKeys.take(tx, { scope, key, fingerprint, at: clock.now() });
      if (taking.taken) {
        const result = await body(tx);
        await idempotencyKeys.complete(tx, { scope, key, result });
        return result;
      }
      if (!taking.same) throw new ServiceError("idempotency_key_reused");
      // The stored result belongs to this change: same key, method, path with query, and body.
      return taking.result as Awaited<ReturnType<typeof body>>;
    });
  };
}

const fingerprintOf = ({ method, target, content }: ChangeRequest): Buffer =>
  createHash("sha256").update(`${method} ${target}\n${content()}`).digest();
