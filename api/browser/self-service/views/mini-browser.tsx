import type { PageRealm } from "../../../pages/page-realm.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { pathOn } from "../../../pages/continue-to.ts";
import { sendSelfServicePage } from "./page.tsx";

/** Asks the user to open the page in a browser that can install a profile, with its address to copy. */
export function sendMiniBrowser(page: PageRequest, realm: PageRealm, miniBrowser: "safari" | "other"): void {
  const { deps, request } = page;
  const [path = ""] = request.originalUrl.split("?");
  const address = new URL(pathOn(deps, path), deps.settings.authUrl).href;
  sendSelfServicePage(page, {
    realm,
    say: ({ miniBrowser: texts }) => ({
      title: texts.title(texts[miniBrowser]),
      body: (
        <div class="card">
          <p>{texts.text}</p>
          <p class="copy">{address}</p>
          <p>
            <a class="link" href="?anyway=true">
              {texts.anyway}
            </a>
          </p>
        </div>
      ),
    }),
  });
}
