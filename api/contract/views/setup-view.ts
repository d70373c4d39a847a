import { z } from "zod";
import { setupPages, setupStates, setupSteps, type SetupStep } from "../../../domain/setup.ts";
import { Timestamp } from "./timestamp.ts";

const AskerView = z.object({ address: z.string(), lastAt: Timestamp });

const factsOf = {
  domain: { domain: z.string() },
  sign_in: {
    kind: z.literal("oidc").nullable().describe("The protocol of the identity provider; null: none is set."),
    provider: z.string().nullable().describe("The identity provider; null: none."),
    redirectURI: z.string().describe("The redirect URI to register there."),
    administratorHasPassword: z.boolean(),
  },
  wifi: { ssids: z.array(z.string()) },
  radius_certificate: {
    radiusCN: z.string().describe("The name that devices expect in the RADIUS server's certificate."),
    expirationTime: Timestamp.nullable().describe("null: the realm has issued no valid certificate for that name."),
    radiusCA: z.boolean().describe("A certification authority is set that devices trust."),
  },
  radius_asks: {
    servers: z
      .array(AskerView)
      .describe("Addresses of RADIUS servers that asked within the last day, newest first, at most 10."),
    others: z.array(AskerView).describe("The same of addresses that the realm does not name as RADIUS servers."),
    lastAt: Timestamp.nullable().describe("When a server last asked; null: none has."),
  },
  own_device: {
    hasProfile: z.boolean().describe("An administrator has an active profile."),
    checkedAt: Timestamp.nullable().describe("When a RADIUS server last asked about one."),
  },
  people: {},
  second_administrator: {
    administrators: z.int().describe("2: two or more."),
    lastAdministratorKept: z
      .boolean()
      .describe("The identity provider no longer gives the only administrator this role; they keep it."),
  },
} as const satisfies Record<SetupStep, z.ZodRawShape>;

const stepView = <Step extends SetupStep, Shape extends z.ZodRawShape>(step: Step, facts: Shape) =>
  z.object({
    step: z.literal(step),
    state: z.enum(setupStates),
    facts: z.object(facts),
    action: z
      .object({
        page: z.enum(setupPages).nullable(),
        command: z.string().nullable().describe("The commands that the operator runs on the server, one to a line."),
      })
      .describe("The next action: on a page, or with commands."),
  });

export const SetupView = z
  .object({
    setUpAt: Timestamp.nullable().describe("When the set-up was finished; null: it is not."),
    steps: z
      .array(
        z.discriminatedUnion("step", [
          stepView("domain", factsOf.domain),
          stepView("sign_in", factsOf.sign_in),
          stepView("wifi", factsOf.wifi),
          stepView("radius_certificate", factsOf.radius_certificate),
          stepView("radius_asks", factsOf.radius_asks),
          stepView("own_device", factsOf.own_device),
          stepView("people", factsOf.people),
          stepView("second_administrator", factsOf.second_administrator),
        ]),
      )
      .describe(
        `In this order: ${setupSteps.join(", ")}. \`set\`: prepared, and not seen to work. \`warning\`: what is there has to be looked at.`,
      ),
  })
  .meta({ id: "Setup" });
export type SetupView = z.infer<typeof SetupView>;
