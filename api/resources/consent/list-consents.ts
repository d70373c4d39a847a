import { z } from "zod";
import * as consents from "../../../db/queries/oauth/consents.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ConsentView, consentView } from "../../contract/views/consent-view.ts";

export const listConsents = endpoint({
  operation: "listConsents",
  summary: "The applications to which the signed-in user has consented",
  description: "The latest first, not paginated. No scope is needed.",
  method: "get",
  path: "/api/consents",
  access: "user",
  data: z.array(ConsentView),
  errors: [],

  async handle({ principal: { userId }, deps: { db } }) {
    const found = await consents.listOfUser(db, { userId });
    return found.map(consentView);
  },
});
