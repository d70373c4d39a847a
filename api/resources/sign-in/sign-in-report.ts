import { z } from "zod";
import { signInCheckNames } from "../../../domain/people/sign-in-checks.ts";
import { Role } from "../../../domain/people/roles.ts";

/** The result of a test sign-in. Only the user who started the test sees it, because it contains their claims. */
export const SignInReport = z
  .object({
    check: z.enum(signInCheckNames).nullable().describe("What failed; null: nothing."),
    reason: z.string().nullable().describe("More detail, in English."),
    claims: z
      .array(z.object({ name: z.string(), values: z.array(z.string()) }))
      .describe("The claims that came about the person, at most 40 with at most 20 values each."),
    person: z
      .object({
        pairwiseID: z.string(),
        email: z.string().nullable(),
        displayName: z.string().nullable(),
        isOwn: z.boolean().describe("A sign-in would lead to the account that made the test."),
        permittedBy: z
          .string()
          .nullable()
          .describe("The rule about who may use the realm that fits; null: none is set."),
        roles: z.array(Role).describe("The roles that the rules give."),
        withheldRoles: z.array(Role).describe("Roles whose claim the identity provider withholds."),
      })
      .nullable()
      .describe("Whom the claims describe under the settings; null: nobody."),
  })
  .meta({ id: "SignInReport" });
export type SignInReport = z.output<typeof SignInReport>;
