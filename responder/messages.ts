import type { DatabaseOptions } from "../db/client.ts";
import type { Certified } from "../worker/responder-certificates/certify-responder.ts";
import type { OcspOutcome } from "./answer.ts";

/** What passes between the process and its OCSP thread. Everything here survives a structured clone. */

/** What the thread is started with. */
export interface OcspThreadData {
  database: Pick<DatabaseOptions, "url" | "role" | "applicationName">;
  host: string;
  port: number;
  /** As the configuration has them. */
  trustedProxies: string;
  requestsPerSecond: number;
}

/** What was answered since the last time. */
export interface OcspMetrics {
  answers: Partial<Record<OcspOutcome, number>>;
  /** How long each answer took, a part of them when there were very many. */
  seconds: Float64Array;
}

export type FromThread =
  | { type: "listening"; port: number }
  | { type: "certify"; requestId: number; issuerId: string; publicKeySpki: Uint8Array }
  | { type: "metrics"; metrics: OcspMetrics }
  | { type: "warning"; event: string; fields: Record<string, string>; error: { name: string; message: string } };

export type ToThread =
  | { type: "certified"; requestId: number; certified: Certified }
  | { type: "not certified"; requestId: number; reason: string }
  | { type: "stop" };
