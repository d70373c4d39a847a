import { languages, type Language } from "../../../../domain/words/language.ts";
import { momentIn } from "../../../pages/parts/dates.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendPage } from "../../../pages/send-page.tsx";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { Guest } from "../guest.ts";
import { selfServiceTexts } from "../texts/self-service-texts.ts";
import { shortCodePath } from "../../../resources/hand-over/hand-over-view.ts";
import { filled } from "../../../pages/parts/times.tsx";
import { QrCode } from "./qr-code.tsx";
import { ShortCode } from "./short-code.tsx";

/** Shows a guest account's link and code on one side of paper, in every language, the reader's first. */
export function sendGuestSheet(page: PageRequest, guest: Guest, code: string): void {
  const codePage = `${page.deps.settings.authUrl}${shortCodePath}`;
  const link = new URL(guest.home, page.deps.settings.authUrl).href;
  sendPage(page, {
    status: 200,
    realm: guest.realm,
    address: "?",
    layout: "sheet",
    say: (_, language) => {
      const { sheet } = selfServiceTexts(language);
      return {
        title: withoutBidiControls(guest.account.name),
        body: (
          <>
            <p class="dim screen">{sheet.print}</p>
            <QrCode text={link} label={sheet.qr} />
            <p class="address">{link.replace(/^https:\/\//, "")}</p>
            <div class="languages">
              {[language, ...languages.filter((other) => other !== language)].map((each) => (
                <Instructions guest={guest} language={each} codePage={codePage} code={code} />
              ))}
            </div>
          </>
        ),
      };
    },
  });
}

interface InstructionsProps {
  guest: Guest;
  language: Language;
  /** Where the code is typed. */
  codePage: string;
  code: string;
}

/** Shows everything that a guest needs to know, in one language. */
function Instructions({ guest: { realm, account }, language, codePage, code }: InstructionsProps) {
  const { guest, sheet } = selfServiceTexts(language);
  return (
    <section lang={language}>
      <h2>{guest.of(realm.displayName)}</h2>
      <dl>
        <dt>{sheet.wifi}</dt>
        <dd>{realm.ssids.map(withoutBidiControls).join(", ")}</dd>
        <dt>{sheet.until}</dt>
        <dd>
          <time datetime={account.expiresAt.toISOString()}>
            {momentIn(language, realm.timeZone, account.expiresAt)}
          </time>
        </dd>
        {realm.helpUri !== "" && (
          <>
            <dt>{sheet.help}</dt>
            <dd>{onPaper(realm.helpUri)}</dd>
          </>
        )}
      </dl>
      <p>{filled(sheet.code, <strong>{onPaper(codePage)}</strong>, <ShortCode code={code} />)}</p>
      <ol class="steps">
        {sheet.steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </section>
  );
}

/** Returns an address as people write it. */
const onPaper = (uri: string): string => uri.replace(/^(?:mailto:|https?:\/\/)/i, "").replace(/\/$/, "");
