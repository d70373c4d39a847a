import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createLoadMetrics, type LoadMetrics } from "../../process/load-metrics.ts";

/** The API's metrics, in addition to those that every process has. */
export interface ApiMetrics extends LoadMetrics {
  request: (labels: { method: string; route: string; status: number }, seconds: number) => void;
  issuanceWait: (outcome: "settled" | "late" | "gone", seconds: number) => void;
  enqueueFailed: () => void;
  signIn: (way: SignInWay, outcome: SignInOutcome) => void;
  /** A sign-in through an identity provider ended with this problem. */
  upstreamRefusal: (through: "oidc", problem: string) => void;
  /**
   * An identity provider's response to a sign-in became verified claims; the time includes our own requests to the
   * provider.
   */
  upstreamAnswer: (through: "oidc", seconds: number) => void;
  ocspProxied: (outcome: "answered" | "try_later") => void;
  revokedFeedWaiting: (clients: number) => void;
  revokedFeedLines: (lines: number) => void;
  /** A directory has deactivated a person. */
  scimDeactivation: (outcome: ScimOutcome) => void;
  /** A person allowed or denied an app, or could not allow it; `app` is the app's `client_id`. */
  appAuthorization: (app: string, outcome: AppAuthorizationOutcome) => void;
  /** Somebody typed a short code. */
  shortCode: (outcome: ShortCodeOutcome) => void;
  /** An app with a token asked for its file. */
  appFile: (labels: { app: string; format: string; outcome: AppFileOutcome }) => void;
}

/** The result of a directory's deactivation. `refused`: the person stays, as the realm's last administrator. */
const scimOutcomes = ["revoked", "held", "unchanged", "refused"] as const;
export type ScimOutcome = (typeof scimOutcomes)[number];

/**
 * How the authorization ended: `objection` if the user could not allow the app, `limited` after too many authorizations
 * within the hour.
 */
export type AppAuthorizationOutcome = "allowed" | "denied" | "objection" | "limited";

/** `late`: the file was not ready in time. `refused`: a 4xx error. `failed`: any other error. */
export type AppFileOutcome = "sent" | "repeated" | "late" | "refused" | "failed";

/** `malformed`: no code has this form. `limited`: not looked up, after too many wrong ones. */
const shortCodeOutcomes = ["found", "unknown", "malformed", "limited"] as const;
export type ShortCodeOutcome = (typeof shortCodeOutcomes)[number];

/** How a user signs in. */
const signInWays = ["upstream", "password", "link", "certificate", "guest"] as const;
export type SignInWay = (typeof signInWays)[number];

/** How a sign-in ended: `refused` if the user was rejected, `failed` if the check itself did not work. */
const signInOutcomes = ["ok", "refused", "failed"] as const;
export type SignInOutcome = (typeof signInOutcomes)[number];

export function createApiMetrics(registry: Registry): ApiMetrics {
  const requests = new Histogram({
    name: "realmpass_http_request_seconds",
    help: "Time from a request's first byte to the end of its answer, by route.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  });
  const waits = new Histogram({
    name: "realmpass_issuance_wait_seconds",
    help: "How long requests waited for an issuance, by how the wait ended.",
    labelNames: ["outcome"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers: [registry],
  });
  const enqueueFailures = new Counter({
    name: "realmpass_enqueue_failures_total",
    help: "Tasks that could not be put on the queue; the sweep does their work.",
    registers: [registry],
  });
  const signIns = new Counter({
    name: "realmpass_sign_ins_total",
    help: "Attempts to sign in, by way and outcome.",
    labelNames: ["way", "outcome"],
    registers: [registry],
  });
  for (const way of signInWays) for (const outcome of signInOutcomes) signIns.inc({ way, outcome }, 0);
  const refusals = new Counter({
    name: "realmpass_upstream_refusals_total",
    help: "Sign-ins through identity providers that ended with a problem, by protocol and problem.",
    labelNames: ["through", "problem"],
    registers: [registry],
  });
  const answers = new Histogram({
    name: "realmpass_upstream_answer_seconds",
    help: "Time to turn an identity provider's answer into verified claims, its own answers included, by protocol.",
    labelNames: ["through"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const proxied = new Counter({
    name: "realmpass_ocsp_proxy_total",
    help: "OCSP requests that were passed on: a responder has answered, or none has.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of ["answered", "try_later"]) proxied.inc({ outcome }, 0);
  const feedWaiting = new Gauge({
    name: "realmpass_revoked_feed_waiting",
    help: "Clients that wait for revocations at this process.",
    registers: [registry],
  });
  const feedLines = new Counter({
    name: "realmpass_revoked_feed_lines_total",
    help: "Revocations that were sent to clients, each counted as often as it was sent.",
    registers: [registry],
  });
  const deactivations = new Counter({
    name: "realmpass_scim_deactivations_total",
    help: "Deactivations by directories over SCIM, by what they did.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of scimOutcomes) deactivations.inc({ outcome }, 0);
  const appAuthorizations = new Counter({
    name: "realmpass_app_authorizations_total",
    help: "Requests of the geteduroam apps that people decided on, or could not, by app and outcome.",
    labelNames: ["app", "outcome"],
    registers: [registry],
  });
  const appFiles = new Counter({
    name: "realmpass_app_files_total",
    help: "Requests of the geteduroam apps for files, by app, format and outcome; many late ones mean too few workers.",
    labelNames: ["app", "format", "outcome"],
    registers: [registry],
  });
  const shortCodes = new Counter({
    name: "realmpass_short_codes_total",
    help: "Short codes that people typed, by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of shortCodeOutcomes) shortCodes.inc({ outcome }, 0);
  return {
    ...createLoadMetrics(registry),
    request: ({ method, route, status }, seconds) => {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    issuanceWait: (outcome, seconds) => {
      waits.observe({ outcome }, seconds);
    },
    enqueueFailed: () => {
      enqueueFailures.inc();
    },
    signIn: (way, outcome) => {
      signIns.inc({ way, outcome });
    },
    upstreamRefusal: (through, problem) => {
      refusals.inc({ through, problem });
    },
    upstreamAnswer: (through, seconds) => {
      answers.observe({ through }, seconds);
    },
    ocspProxied: (outcome) => {
      proxied.inc({ outcome });
    },
    revokedFeedWaiting: (clients) => {
      feedWaiting.set(clients);
    },
    revokedFeedLines: (lines) => {
      feedLines.inc(lines);
    },
    scimDeactivation: (outcome) => {
      deactivations.inc({ outcome });
    },
    appAuthorization: (app, outcome) => {
      appAuthorizations.inc({ app, outcome });
    },
    shortCode: (outcome) => {
      shortCodes.inc({ outcome });
    },
    appFile: (labels) => {
      appFiles.inc({ ...labels });
    },
  };
}
