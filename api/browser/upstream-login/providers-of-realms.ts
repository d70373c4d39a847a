import type { UpstreamAuthor } from "../../../db/queries/realm/realms.ts";
import { parseNetworks } from "../../../runtime/config/networks.ts";
import type { ApiSettings } from "../../contract/deps.ts";
import { createProviders, type Provider } from "./provider.ts";
import { createUpstreamFetch, type UpstreamFetch } from "./upstream-fetch.ts";

/** The identity providers of realms. */
export interface ProvidersOfRealms {
  /** Returns the provider, reached by the network rule of those who named it. Throws {@link UpstreamError}. */
  find(named: { issuer: string; setBy: UpstreamAuthor }): Promise<Provider>;
}

type Settings = Pick<ApiSettings, "upstreamTimeoutMs" | "upstreamNetworks">;

const timeoutMs = 5_000;

/** Returns the fetch for identity providers that the console names. */
export const consoleFetch = ({ upstreamTimeoutMs = timeoutMs, upstreamNetworks = "" }: Settings): UpstreamFetch =>
  createUpstreamFetch({ timeoutMs: upstreamTimeoutMs, networks: parseNetworks(upstreamNetworks) });

/** An identity provider that the operator names may be anywhere; one that the console names, on the Internet only. */
export function createProvidersOfRealms(settings: Settings): ProvidersOfRealms {
  const providers = {
    operator: createProviders(createUpstreamFetch({ timeoutMs: settings.upstreamTimeoutMs ?? timeoutMs })),
    console: createProviders(consoleFetch(settings)),
  };
  return { find: ({ issuer, setBy }) => providers[setBy].find(issuer) };
}
