import * as directoryRules from "../../db/queries/people/directory-rules.ts";
import type { Deps } from "../contract/deps.ts";
import { ServiceError } from "../../domain/errors.ts";
import { admit } from "../contract/router.ts";
import { parsePairs, queryOf } from "../http/query-string.ts";
import { readJsonBody } from "../http/request-body.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import type { Exchange, Route } from "../http/route.ts";
import { namedAttributes } from "./attributes.ts";
import * as discovery from "./discovery.ts";
import { listInBody, listInQuery, shownInQuery } from "./paging.ts";
import { ScimError, scimErrors, scimType } from "./scim-error.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  patchUser,
  replaceUser,
  required,
  type ScimCall,
} from "./users.ts";

/** The path of SCIM below the API's address. */
const root = "/scim/v2";

/** Returns the last part of the request's path, which may end in a slash. */
const lastPart = ({ request }: Exchange): string => request.path.replace(/\/$/, "").split("/").at(-1) ?? "";

/** Converts a path template into a pattern: a trailing slash is ignored, and a parameter matches one part. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+")}/?$`);

/**
 * Returns the routes of the SCIM 2.0 server (RFC 7644), through which a directory reads and changes its people in a
 * realm.
 */
export function scimRoutes(deps: Deps): Route[] {
  const base = `${deps.settings.baseUrl}${root}`;

  const route = (
    path: string,
    methods: readonly string[],
    { limit, handle }: Pick<Route, "limit" | "handle">,
  ): Route => ({
    path: patternOf(`${root}${path}`),
    name: `${root}${path}`,
    methods: [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"],
    limit,
    errors: scimErrors,
    handle,
  });

  /** Makes a public route that describes the features of the server. */
  const open = (path: string, respond: (last: string) => unknown): Route =>
    route(path, ["GET"], {
      limit: "address",
      handle(exchange) {
        if (parsePairs(queryOf(exchange.request.originalUrl)).has("filter")) {
          throw new ScimError("This cannot be filtered.", { status: 403 });
        }
        sendJson(exchange.response, 200, respond(lastPart(exchange)), scimType);
      },
    });

  /** Makes a route that only a directory's connection can call, with a handler for each method. */
  const own = (path: string, handlers: Readonly<Record<string, (call: ScimCall) => Promise<void> | void>>): Route => {
    const byMethod = new Map(Object.entries(handlers));
    return route(path, [...byMethod.keys()], {
      limit: "token",
      async handle(exchange) {
        const principal = await admit({ access: "staff", scope: "scim", furtherScopes: [] }, { ...exchange, deps });
        // Only services can have the scope.
        if (principal.kind !== "service") throw new ServiceError("forbidden");
        const { realmId, clientId } = principal;
        const { method, originalUrl } = exchange.request;
        const shown = shownInQuery(parsePairs(queryOf(originalUrl)));
        const rules = await directoryRules.find(deps.db, { realmId });
        const named = namedAttributes(rules.attributes);
        const call = { ...exchange, deps, connection: { realmId, clientId }, base, rules, named, shown };
        await byMethod.get(method === "HEAD" ? "GET" : method)?.(call);
      },
    });
  };

  const bodyOf = async ({ request }: ScimCall): Promise<unknown> =>
    required(await readJsonBody(request, deps.settings.bodyLimits));
  const search = async (call: ScimCall): Promise<void> => listUsers(call, listInBody(await bodyOf(call)));

  return [
    own("/Users", {
      GET: (call) => listUsers(call, listInQuery(parsePairs(queryOf(call.request.originalUrl)))),
      POST: async (call) => createUser(call, await bodyOf(call)),
    }),
    own("/Users/.search", { POST: search }),
    own("/Users/:id", {
      GET: (call) => getUser(call, lastPart(call)),
      PUT: async (call) => replaceUser(call, lastPart(call), await bodyOf(call)),
      PATCH: async (call) => patchUser(call, lastPart(call), await bodyOf(call)),
      DELETE: (call) => deleteUser(call, lastPart(call)),
    }),
    own("/.search", { POST: search }),
    own("/Groups", {
      GET({ response }) {
        sendJson(response, 200, discovery.emptyList, scimType);
      },
      POST: notOffered,
    }),
    own("/Groups/:id", {
      GET() {
        throw new ScimError("There is no such group.", { status: 404 });
      },
    }),
    open("/ServiceProviderConfig", () => discovery.serviceProviderConfig(base)),
    open("/ResourceTypes", () => discovery.resourceTypes(base)),
    open("/ResourceTypes/User", () => discovery.resourceType(base)),
    open("/Schemas", () => discovery.schemas(base)),
    open("/Schemas/:id", (last) => discovery.schema(base, last)),
    own("/Bulk", { POST: notOffered }),
    own("/Me", { GET: notOffered, POST: notOffered, PUT: notOffered, PATCH: notOffered, DELETE: notOffered }),
    {
      path: /^\/scim\/v2(?:\/.*)?$/,
      name: `${root}{/*path}`,
      methods: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"],
      limit: "address",
      errors: scimErrors,
      handle({ response }) {
        contextOf(response).route = `${root}{/*path}`;
        throw new ScimError("There is nothing at this address.", { status: 404 });
      },
    },
  ];
}

/** Refuses a feature of the standard that this server does not have. */
function notOffered(): never {
  throw new ScimError("This server does not offer that.", { status: 501 });
}
