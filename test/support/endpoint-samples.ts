import type { Endpoint, Method } from "../../api/endpoint.ts";
import type { Given, GivenUser } from "./given.ts";

/** A request that an endpoint accepts: what tests that go over every endpoint begin with. */
export interface Sample {
  endpoint: Endpoint;
  method: Method;
  path: string;
  body: Record<string, unknown> | undefined;
}

export interface SampleSubject {
  user: GivenUser;
  serial: string;
}

/** What stands for each parameter of a path. Whoever adds a parameter of a new name adds its row. */
const parameters: Readonly<Record<string, (subject: SampleSubject) => string>> = {
  userID: ({ user }) => user.id,
  profileName: () => "laptop",
  serial: ({ serial }) => serial,
  id: () => "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11",
};

/** Bodies of the endpoints that need one. */
const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  createUserProfile: { format: "pem", deviceType: "Linux" },
};

/** A user with a profile, for the paths of samples. */
export async function givenSubject(given: Given, realmId: string): Promise<SampleSubject> {
  const user = await given.user({ realmId });
  return { user, serial: await given.profile(user) };
}

/** Every endpoint under each of its methods, about this user and profile. */
export const samplesOf = (endpoints: readonly Endpoint[], subject: SampleSubject): Sample[] =>
  endpoints.flatMap((endpoint) =>
    endpoint.methods.map((method) => ({
      endpoint,
      method,
      path: endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
        const parameter = parameters[name];
        if (parameter === undefined) throw new Error(`test/support/endpoint-samples.ts has no row for :${name}`);
        return parameter(subject);
      }),
      body: bodies[endpoint.operation] ?? (method === "get" ? undefined : {}),
    })),
  );
