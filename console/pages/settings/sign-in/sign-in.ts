import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { signInChecks } from "../../../../domain/people/sign-in-checks.ts";
import { roles, type Role } from "../../../../domain/people/roles.ts";
import { api, ApiError, dataOf, type Schemas } from "../../../api/api-client.ts";

export type SignIn = Schemas["SignIn"];
export type SignInDraft = NonNullable<SignIn["draft"]>;
export type SignInReport = Schemas["SignInReport"];
type Mapping = SignIn["mapping"];
type Rule = NonNullable<Mapping["mayUse"]>[number];

export const signInKey = ["sign-in"] as const;

/** Loads the sign-in of the realm, with its draft. */
export const useSignIn = (): UseQueryResult<SignIn> =>
  useQuery({
    queryKey: signInKey,
    queryFn: ({ signal }) => dataOf(api.GET("/api/realm/sign-in", { signal })),
    // A refetch must not change the form while the user types.
    refetchOnWindowFocus: false,
  });

/** How often the page checks whether a test has ended in another tab. */
const waitingMs = 3_000;

/** Loads the signed-in user's own test of a sign-in. */
export const useSignInTest = (testID: string) =>
  useQuery({
    queryKey: ["sign-in test", testID],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/realm/sign-in/tests/{testID}", { params: { path: { testID } }, signal })),
    refetchInterval: ({ state }) => (state.data?.state === "waiting" ? waitingMs : false),
    retry: false,
  });

/** Begins a test, and sends this browser to the identity provider. */
export async function startTest(of: "draft" | "current"): Promise<void> {
  const { address } = await dataOf(api.POST("/api/realm/sign-in/tests", { body: { of } }));
  window.location.assign(address);
}

export const activate = (version: string): Promise<unknown> =>
  dataOf(api.POST("/api/realm/sign-in/activate", { body: { version } }));

export const discardDraft = (): Promise<unknown> => dataOf(api.DELETE("/api/realm/sign-in/draft"));

/**
 * The form's values. In the fields for rules, each line is one rule. An empty secret keeps the current secret of the
 * same client.
 */
export type SignInValues = Record<
  "issuer" | "clientID" | "clientSecret" | "pairwiseID" | "email" | "displayName" | "mayUse" | Role,
  string
>;

const writtenRules = (rules: readonly Rule[] = []): string =>
  rules.map(({ claim, value }) => `${claim}=${value}`).join("\n");

export const valuesOf = (draft: SignInDraft | null): SignInValues => {
  const { pairwiseID = "", email = "", displayName = "", mayUse, roles: given = {} } = draft?.mapping ?? {};
  const rules = Object.fromEntries(roles.map((role) => [role, writtenRules(given[role])])) as Record<Role, string>;
  return {
    issuer: draft?.provider.issuer ?? "",
    clientID: draft?.clientID ?? "",
    clientSecret: "",
    ...{ pairwiseID, email, displayName, mayUse: writtenRules(mayUse), ...rules },
  };
};

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Returns true if each line is a rule: a claim, an equals sign and a value. */
export const areRules = (text: string): boolean => linesOf(text).every((line) => /^[^=]+=./.test(line));

const rulesIn = (text: string): Rule[] =>
  linesOf(text).map((line) => {
    const [claim = ""] = line.split("=", 1);
    return { claim: claim.trim(), value: line.slice(claim.length + 1).trim() };
  });

/** Sends the draft to the service, which reads the provider's documents before it stores the draft. */
export async function checkDraft(values: SignInValues): Promise<unknown> {
  const { issuer, clientID, clientSecret, pairwiseID, email, displayName, mayUse } = values;
  const named: Record<string, string> = Object.fromEntries(
    Object.entries({ pairwiseID, email, displayName })
      .map(([name, claim]) => [name, claim.trim()] as const)
      .filter(([, claim]) => claim !== ""),
  );
  const given = roles.map((role) => [role, rulesIn(values[role])] as const).filter(([, rules]) => rules.length > 0);
  const rulesOfRoles: Record<string, Rule[]> = Object.fromEntries(given);
  const body = {
    kind: "oidc" as const,
    issuer: issuer.trim(),
    clientID: clientID.trim(),
    ...(clientSecret.trim() !== "" && { clientSecret: clientSecret.trim() }),
    mapping: { ...named, mayUse: rulesIn(mayUse), roles: rulesOfRoles },
  };
  try {
    return await dataOf(api.PUT("/api/realm/sign-in/draft", { body }));
  } catch (error) {
    throw error instanceof ApiError ? atFields(error) : error;
  }
}

/** Assigns an error to the form's fields; in this form, each claim and rule has a separate field. */
function atFields({ code, message, status, fields, requestId }: ApiError): ApiError {
  const path = (of: string): string => of.replace(/^mapping\.(?:roles\.)?/, "");
  return new ApiError(code, message, {
    status,
    requestId,
    fields: fields.map(({ path: of, reason }) => ({ path: path(of), reason })),
  });
}

/** Returns the code of a check from the service's reason; undefined for any other reason. */
export const checkNamed = (reason: string): string | undefined =>
  Object.entries(signInChecks).find(([, text]) => text === reason)?.[0];
