import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface RealmChoiceView {
  choices: readonly { realm: Pick<RealmRow, "displayName">; href: string }[];
  /** The address that shows this page. */
  address: string;
}

/** Asks the user to choose their realm. */
export function sendRealmChoice(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { choices, address }: RealmChoiceView,
): void {
  sendPage(page, {
    status: 200,
    address,
    say: (texts) => ({
      title: texts.realmChoice.title,
      body: (
        <>
          <p>{texts.realmChoice.text}</p>
          <ul class="choices">
            {choices.map(({ realm, href }) => (
              <li>
                <a class="button quiet" href={href}>
                  {realm.displayName}
                </a>
              </li>
            ))}
          </ul>
        </>
      ),
    }),
  });
}
