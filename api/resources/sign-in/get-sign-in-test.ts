import { z } from "zod";
import * as tests from "../../../db/queries/sign-in/sign-in-tests.ts";
import { SignInTestID } from "../../../domain/ids.ts";
import { openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { SignInReport } from "./sign-in-report.ts";
import { personOf } from "./sign-in-rules.ts";

export const getSignInTest = endpoint({
  operation: "getSignInTest",
  summary: "The result of one's own test sign-in",
  description: "Kept for an hour. Other people's tests do not exist for the caller.",
  method: "get",
  path: "/api/realm/sign-in/tests/:testID",
  access: "staff",
  scope: "realm.modify",
  furtherScopes: ["role.modify"],
  params: z.object({ testID: SignInTestID }),
  secret: true,
  data: z.object({
    state: z.enum(["waiting", "passed", "failed"]),
    of: z.enum(["draft", "current"]),
    report: SignInReport.nullable().describe("null while it is waiting."),
  }),
  errors: ["sign_in_test_not_found"],
  unknown: { testID: "sign_in_test_not_found" },

  async handle({ params: { testID: id }, principal, deps: { db, clock, masterKeys }, fail }) {
    const { realmId, userId } = personOf(principal);
    const test = await tests.find(db, { id, realmId, userId, at: clock.now() });
    if (test === undefined) throw fail("sign_in_test_not_found");
    const { passed, sealedReport, draftVersion } = test;
    const of = draftVersion === null ? ("current" as const) : ("draft" as const);
    if (passed === null || sealedReport === null) return { state: "waiting" as const, of, report: null };
    const opened = openUnderMasterKey(masterKeys, sealedReport, tests.reportContext(id)).toString("utf8");
    return {
      state: passed ? ("passed" as const) : ("failed" as const),
      of,
      report: SignInReport.parse(JSON.parse(opened)),
    };
  },
});
