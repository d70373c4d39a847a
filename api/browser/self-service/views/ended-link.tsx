import type { PageRealm } from "../../../pages/page-realm.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendSelfServicePage } from "./page.tsx";

export type EndedLink = "expired" | "used" | "refused" | "guestExpired";

/** Explains calmly why a link no longer works. */
export function sendEndedLink(page: PageRequest, why: EndedLink, realm: PageRealm | undefined): void {
  sendCalmly(page, why, { realm, status: why === "refused" ? 409 : 410 });
}

/** Reports an unknown link and counts a failed attempt. Throws `too_many_requests`. */
export async function sendUnknownLink(page: PageRequest): Promise<void> {
  await page.deps.attemptCounter.tokenFailed({ address: page.request.ip ?? "" });
  sendCalmly(page, "unknown", { realm: undefined, status: 404 });
}

function sendCalmly(
  page: PageRequest,
  why: EndedLink | "unknown",
  { realm, status }: { realm: PageRealm | undefined; status: number },
): void {
  sendSelfServicePage(page, {
    status,
    realm,
    say: ({ links }) => ({
      title: links[why].title,
      body: (
        <div class="card">
          <p>{links[why].text}</p>
        </div>
      ),
    }),
  });
}
