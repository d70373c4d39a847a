import type { Endpoint, Method } from "../../../api/contract/endpoint.ts";
import type { Given, GivenUser } from "./given.ts";

/** A request that an endpoint accepts, from which tests over all endpoints start. */
export interface Sample {
  endpoint: Endpoint;
  method: Method;
  path: string;
  body: Record<string, unknown> | undefined;
}

export interface SampleSubject {
  user: GivenUser;
  serial: string;
  clientId: string;
  guestAccountId: string;
  guestSerial: string;
  infrastructureSerial: string;
  /** Bulk jobs: an untouched one for each operation that needs one, and one that has ended. */
  jobs: Readonly<Record<"start" | "takeOut" | "takeIn" | "cancel" | "ended", string>>;
}

/** The value of each path parameter. A path parameter with a new name needs a row here. */
const parameters: Readonly<Record<string, (subject: SampleSubject, endpoint: Endpoint) => string>> = {
  userID: ({ user }) => user.id,
  profileName: () => "laptop",
  name: () => "laptop",
  client_id: ({ clientId }) => clientId,
  sid: () => "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c12",
  serial: ({ serial, infrastructureSerial }, { path }) =>
    path.startsWith("/api/infrastructure-profile/") ? infrastructureSerial : serial,
  guestAccountId: ({ guestAccountId }) => guestAccountId,
  profileSerial: ({ guestSerial }) => guestSerial,
  tokenID: () => "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c14",
  testID: () => "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c13",
  id: ({ jobs }, { operation, path }) =>
    path.startsWith("/api/jobs/")
      ? ({ startJob: jobs.start, takeRowsOut: jobs.takeOut, takeRowsIn: jobs.takeIn, cancelJob: jobs.cancel }[
          operation
        ] ?? jobs.ended)
      : "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11",
};

/** Bodies of the endpoints that need one. */
const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  createGuestAccount: { name: "a sample", expirationDate: "2999-12-31T00:00:00Z" },
  updateGuestAccount: { name: "a sample" },
  createGuestProfile: { format: "pem", deviceType: "Linux" },
  createInfrastructureProfile: { format: "pem", validityMonths: 24 },
  revokeProfiles: { profiles: ["1"] },
  updateRealm: { maxProfiles: 5 },
  updateRealmSettings: { maxProfiles: 5 },
  updateRealmApps: { helpPhone: "+49 30 1234" },
  createHandOver: { profileName: "laptop" },
  createUserProfile: { format: "pem", deviceType: "Linux" },
  createOwnProfile: { format: "pem", deviceType: "Linux" },
  createOnboarding: { users: [{ pairwiseID: "a sample" }] },
  createOffboarding: { users: [{ pairwiseID: "a sample" }] },
  takeRowsOut: { rows: [1] },
  takeRowsIn: { rows: [1] },
  setSignInDraft: { kind: "oidc", issuer: "https://idp.invalid", clientID: "a sample" },
  startSignInTest: { of: "draft" },
  recordListExport: { list: "users", rows: 2, filter: { text: "a sample" } },
  setScim: { newPeople: "sign-in" },
  setUserLock: { locked: false },
  setUserRoles: { roles: [] },
  setUserNote: { note: "a sample" },
  setUserVLAN: { vlan: "30" },
  setUserLimit: { profileOverride: 3 },
  registerApplication: {
    type: "useragent",
    name: "a sample",
    clientURI: "https://client.example",
    redirectURI: "https://client.example/back",
    scopes: ["openid"],
  },
};

/** A subject for tests in which only the form of the paths matters. */
export const nobodysSubject: SampleSubject = {
  user: { id: "1", realmId: "1" },
  serial: "1",
  clientId: "1",
  guestAccountId: "1",
  guestSerial: "1",
  infrastructureSerial: "1",
  jobs: { start: "1", takeOut: "1", takeIn: "1", cancel: "1", ended: "1" },
};

/**
 * Makes a user with a profile, an application, a guest account with a profile, a server's profile and bulk jobs, for
 * the paths of samples.
 */
export async function givenSubject(given: Given, realmId: string): Promise<SampleSubject> {
  const user = await given.user({ realmId });
  const { clientId } = await given.application({ realmId, type: "useragent" });
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  return {
    user,
    serial: await given.profile(user),
    clientId,
    guestAccountId,
    guestSerial: await given.profile({ realmId }, { guestAccountId }),
    infrastructureSerial: await given.profile({ realmId }, { kind: "infrastructure" }),
    jobs: {
      start: await given.job({ realmId, state: "ready" }),
      takeOut: await given.job({ realmId, state: "ready" }),
      takeIn: await given.job({ realmId, state: "ready" }),
      cancel: await given.job({ realmId, state: "running" }),
      ended: await given.job({ realmId, state: "completed_with_errors" }),
    },
  };
}

/** Returns a sample for every endpoint with each of its methods, about this subject. */
export const samplesOf = (endpoints: readonly Endpoint[], subject: SampleSubject): Sample[] =>
  endpoints.flatMap((endpoint) =>
    endpoint.methods.map((method) => ({
      endpoint,
      method,
      path: endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
        const parameter = parameters[name];
        if (parameter === undefined) throw new Error(`test/support/given/endpoint-samples.ts has no row for :${name}`);
        return parameter(subject, endpoint);
      }),
      body: bodies[endpoint.operation] ?? (method === "get" ? undefined : {}),
    })),
  );
