import { createHash } from "node:crypto";
import type { Database, Db } from "../../db/client.ts";
import * as idempotencyKeys from "../../db/queries/issuance/idempotency-keys.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Clock } from "../../runtime/clock.ts";
/** What a change may remember of itself: plain JSON, ids rather than contents, never a secret unless it is sealed. */
type Remembered =
  string | number | boolean | null | undefined | readonly Remembered[] | { readonly [name: string]: Remembered };

/**
 * Runs `body` in one transaction. With an Idempotency-Key, a repeat of the request does not run it again but gets what
 * it answered the first time, after waiting for a first one that is still under way. A change that failed is not remembered.
 */
export type Change = <Result extends Remembered>(
  body: (tx: Db) => Promise<Result>,
  /** Does the same in transactions of its own; run instead where nothing has to be remembered. */
  alone?: () => Promise<Result>,
) => Promise<Result>;

export interface ChangeRequest {
  /** The header as sent. */
  idempotencyKey: string | undefined;
  /** Whose key it is. */
  scope: string;
  method: string;
  /** Path and query as sent. */
  target: string;
  /** What stands for the body: the same for the same body. Asked for when the change is made, the body having been read. */
  content: () => string;
}

/** The `change` of one request. */
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
      // What was stored is what this very change returned: same key, same method, same path, same body.
      return taking.result as Awaited<ReturnType<typeof body>>;
    });
  };
}

const fingerprintOf = ({ method, target, content }: ChangeRequest): Buffer =>
  createHash("sha256").update(`${method} ${target}\n${content()}`).digest();
