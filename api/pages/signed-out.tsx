import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface SignedOutView {
  /** What was signed out of; undefined when nobody was signed in. */
  application?: { name: string; clientUri: string } | undefined;
}

/** Says what ended. */
export function sendSignedOut(page: Pick<PageRequest, "deps" | "request" | "response">, _: SignedOutView): void {
  sendPage(page, { status: 200, title: "Signed out", body: <p>Signed out</p> });
}
