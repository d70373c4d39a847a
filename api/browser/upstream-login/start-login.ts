import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { readParameters, signInAddress } from "../sign-in/sign-in-request.ts";
import { findInUse } from "./chosen-upstream.ts";
import { goToProvider } from "./go-to-provider.ts";
import type { Provider } from "./provider.ts";
import type { ProvidersOfRealms } from "./providers-of-realms.ts";
import { startTest } from "./test-sign-in.ts";
import { sendUpstreamProblem } from "./upstream-problem.ts";
import { UpstreamError } from "./upstream-error.ts";

/** `GET /login/upstream`: sends the browser to the realm's identity provider, or to one under test. */
export const startLogin =
  (providers: ProvidersOfRealms) =>
  async (page: PageRequest): Promise<void> => {
    const { deps } = page;
    const test = single(page, "test");
    if (test !== undefined) {
      await startTest(page, { id: test, providers });
      return;
    }
    const asked = readParameters((name) => single(page, name));
    const { realmName: name } = asked;
    if (name === undefined) {
      sendProblem(page, "bad_request");
      return;
    }
    const upstream = await findInUse(deps, { name });
    if (upstream === undefined) {
      sendProblem(page, "no_sign_in");
      return;
    }

    const { realmId } = upstream;
    let provider: Provider;
    try {
      provider = await providers.find(upstream);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      await sendUpstreamProblem(page, error, { realmId, startAgain: signInAddress(deps, asked, "/login/upstream") });
      return;
    }
    await goToProvider(page, { upstream, provider, again: asked.again, path: asked.path });
  };
