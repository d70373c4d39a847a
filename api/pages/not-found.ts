import { ServiceError } from "../../domain/errors.ts";
import type { Deps } from "../contract/deps.ts";
import { problemErrors } from "../http/error-response.ts";
import type { Exchange } from "../http/route.ts";
import { sendProblem } from "./problem.tsx";

/** Paths for programs. A browser opens them only to look at a program's response. */
const isForPrograms = /^\/(?:api|oauth|scim|crl|ca|ocsp)(?:\/|$)/;

/** Responds to a request for an address that does not exist: with a page for people, else with the wrapper. */
export async function sendNotFound(deps: Deps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const isForPeople = request.accepts(["json", "html"]) === "html" && !isForPrograms.test(request.path);
  if (isForPeople) sendProblem({ deps, request, response }, "not_found");
  else await problemErrors.send(exchange, new ServiceError("not_found"));
}
