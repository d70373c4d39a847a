import type { UpstreamAuthor } from "../../../db/queries/realm/realms.ts";
import { parseNetworks } from "../../../runtime/config/networks.ts";
import type { ApiSettings } from "../../contract/deps.ts";
import { createProviders, type Provider } from "./provider.ts";
import { createUpstreamFetch, type UpstreamFetch } from "./upstream-fetch.ts";

/** Finds the identity providers of realms. */
export interface ProvidersOfRealms {
  /**
   * Returns the provider, reached under the network rule for the author of its settings. Throws {@link UpstreamError}.
   */
  find(named: { issuer: string; setBy: UpstreamAuthor }): Promise<Provider>;
}

type Settings = Pick<ApiSettings, "upstreamTimeoutMs" | "upstreamNetworks">;

const timeoutMs = 5_000;

/** Returns the fetch for identity providers that the console names. */
export const consoleFetch = ({ upstreamTimeoutMs = timeoutMs, upstreamNetworks = "" }: Settings): UpstreamFetch =>
  createUpstreamFetch({ timeoutMs: upstreamTimeoutMs, networks: parseNetworks(upstreamNetworks) });

/**
 * Creates the look-up of realms' identity providers. A provider that the operator set may have any address; a provider
 * set in the console must be on the Internet or in `upstreamNetworks`.
 */
export function createProvidersOfRealms(settings: Settings): ProvidersOfRealms {
  const providers = {
    operator: createProviders(createUpstreamFetch({ timeoutMs: settings.upstreamTimeoutMs ?? timeoutMs })),
    console: createProviders(consoleFetch(settings)),
  };
  return { find: ({ issuer, setBy }) => providers[setBy].find(issuer) };
}
