import type { RequestListener } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { notReady, readinessRetryAfterSeconds, type LookForReadiness } from "../../process/readiness.ts";
import type { Log } from "../../runtime/log.ts";
import { sendError } from "./error-response.ts";
import { beginRequest } from "./request-context.ts";
import { sendAnswer, setSecurityHeaders } from "./respond.ts";

/** Long, because a migration takes more than a moment. */
const retryAfterSeconds = 10;

/** Handles requests while the api waits for its schema: liveness as usual, 503 for everything else. */
export function answerNotYet({ readiness, log }: { readiness: LookForReadiness; log: Log }): RequestListener {
  const begin = beginRequest({ log, metrics: { request: () => undefined }, requestCounts: { note: () => undefined } });
  const refusal = async (path: string): Promise<ServiceError> => {
    if (path !== "/readyz") return new ServiceError("unavailable", { retryAfterSeconds });
    const found = await readiness();
    return new ServiceError("unavailable", {
      description: notReady(found),
      fields: found.lacks,
      retryAfterSeconds: readinessRetryAfterSeconds,
    });
  };

  return (request, response) => {
    begin(request, response);
    setSecurityHeaders(response, { https: false });
    const [path = ""] = (request.url ?? "").split("?");
    if (path === "/healthz") {
      sendAnswer(response, { status: 200, data: { status: "live" }, headers: {} }, { isCacheable: false });
      return;
    }
    void refusal(path).then((error) => {
      sendError(request, response, error);
    });
  };
}
