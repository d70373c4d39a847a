import type { UpstreamAuthor } from "../../../db/queries/realm/realms.ts";
import { parseNetworks } from "../../../runtime/config/networks.ts";
import type { ApiSettings } from "../../contract/deps.ts";
import { createProviders, type Provider } from "./provider.ts";
import { createUpstreamFetch, type UpstreamFetch } from "./upstream-fetch.ts";

/** The identity providers of realms. */
export interface ProvidersOfRealms {
  /** Returns the provider, reached under the network rule for its author. Throws {@link UpstreamError}. */
  find(named: { issuer: string; setBy: UpstreamAuthor }): Promise<Provider>;
}

type Settings = Pick<ApiSettings, "upstreamTimeoutMs" | "upstreamNetworks">;

const timeoutMs = 5_000;

/** Returns the fetch for identity providers that the console names. */
export const consoleFetch = ({ upstreamTimeoutMs = timeoutMs, upstreamNetworks = "" }: Settings): UpstreamFetch =>
  createUpstreamFetch({ timeoutMs: upstreamTimeoutMs, networks: parseNetworks(upstreamNetworks) });

/**
 * The operator may name an identity provider anywhere; the console may name one only on the Internet or in
 * `upstreamNetworks`.
 */
export function createProvidersOfRealms(settings: Settings): ProvidersOfRealms {
  const providers = {
    operator: createProviders(createUpstreamFetch({ timeoutMs: settings.upstreamTimeoutMs ?? timeoutMs })),
    console: createProviders(consoleFetch(settings)),
  };
  return { find: ({ issuer, setBy }) => providers[setBy].find(issuer) };
}
