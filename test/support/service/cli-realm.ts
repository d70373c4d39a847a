import { beforeAll } from "vitest";
import type { TestApi } from "./api.ts";
import { useCli, type Cli } from "./cli.ts";
import type { GivenUser } from "../given/given.ts";
import { givenIssuingRealm } from "../given/issuing.ts";

export interface CliRealm {
  cli: Cli;
  readonly realmId: string;
  readonly env: Record<string, string>;
  user(options?: Omit<Parameters<TestApi["given"]["user"]>[0], "realmId">): Promise<GivenUser>;
}

/** Makes a realm that can issue, and signs the command line client in as a service of the realm with every scope that a service may have. */
export function useCliRealm(api: TestApi, { maxProfiles = 5 }: { maxProfiles?: number } = {}): CliRealm {
  let realmId = "";
  let env: Record<string, string> = {};
  beforeAll(async () => {
    ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles }));
    const { clientId, secret } = await api.given.application({ realmId });
    env = { REALMPASS_URL: api.url, REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };
  });
  return {
    cli: useCli(() => env),
    get realmId() {
      return realmId;
    },
    get env() {
      return env;
    },
    user: (options = {}) => api.given.user({ ...options, realmId }),
  };
}
