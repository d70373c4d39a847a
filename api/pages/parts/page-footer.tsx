import { languages, type Language } from "../../../domain/words/language.ts";
import { languageParameter } from "../language.ts";
import type { PageContent } from "../page-content.ts";
import type { PageRealm } from "../page-realm.ts";
import { pageTexts } from "../texts/page-texts.ts";

interface PageFooterProps {
  language: Language;
  realm: PageRealm | undefined;
  content: PageContent;
}

/** Renders the footer, the same on every page: help, privacy, the other languages. */
export function PageFooter({ language, realm, content }: PageFooterProps) {
  return (
    <footer>
      {realm !== undefined && <RealmLinks realm={realm} language={language} />}
      {content.address === undefined ? (
        <InOtherLanguages language={language} content={content} />
      ) : (
        <OtherLanguages language={language} address={content.address} />
      )}
    </footer>
  );
}

function RealmLinks({ realm: { helpUri, privacyUri }, language }: { realm: PageRealm; language: Language }) {
  const texts = pageTexts(language);
  return (
    <>
      {helpUri !== "" && (
        <a href={helpUri} rel="noopener">
          {texts.helpDesk}
        </a>
      )}
      {privacyUri !== "" && (
        <a href={privacyUri} rel="noopener">
          {texts.privacy}
        </a>
      )}
    </>
  );
}

const others = (language: Language): Language[] => languages.filter((other) => other !== language);

function OtherLanguages({ language, address }: { language: Language; address: string }) {
  return (
    <nav aria-label={pageTexts(language).otherLanguage}>
      {others(language).map((other) => (
        <a href={withParameter(address, languageParameter, other)} lang={other} hreflang={other}>
          {pageTexts(other).languageName}
        </a>
      ))}
    </nav>
  );
}

function InOtherLanguages({ language, content }: { language: Language; content: PageContent }) {
  return (
    <>
      {others(language).map((other) => {
        const { title, body } = content.say(pageTexts(other), other);
        return (
          <details lang={other}>
            <summary>{pageTexts(other).languageName}</summary>
            <div>
              <p class="title">{title}</p>
              {body}
            </div>
          </details>
        );
      })}
    </>
  );
}

const withParameter = (address: string, name: string, value: string): string =>
  `${address}${address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?"}${name}=${value}`;
