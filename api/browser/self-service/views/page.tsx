import type { Child } from "hono/jsx";
import type { Language } from "../../../../domain/words/language.ts";
import type { PageRealm } from "../../../pages/page-realm.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendPage } from "../../../pages/send-page.tsx";
import { pathOn } from "../../../pages/continue-to.ts";
import { formTokenFor } from "../../../pages/form-token.ts";
import { timesIn, type Times } from "../../../pages/parts/times.tsx";
import type { Texts } from "../texts/texts.ts";
import { selfServiceTexts } from "../texts/self-service-texts.ts";

/** The signed-in user, for the navigation. */
export interface Visitor {
  /** The user's name, as they know it. */
  person: string;
  hasRole: boolean;
}

export interface SelfServicePage {
  status?: number;
  realm: PageRealm | undefined;
  /** Undefined: no navigation. */
  visitor?: Visitor | undefined;
  /** The current entry of the navigation. */
  current?: "devices" | "applications";
  refreshSeconds?: number | undefined;
  say: (texts: Texts, language: Language, times: Times) => { title: string; body: Child };
}

/** Sends a page of self-service. Its language links are relative, since its address may contain a token. */
export function sendSelfServicePage(page: PageRequest, content: SelfServicePage): void {
  const { status = 200, realm, visitor, current, refreshSeconds, say } = content;
  const formToken = visitor && formTokenFor(page.deps, page);
  sendPage(page, {
    status,
    realm,
    address: "?",
    layout: "wide",
    refreshSeconds,
    say: (_, language) => {
      const texts = selfServiceTexts(language);
      const times = timesIn(language, { timeZone: realm?.timeZone ?? "UTC", now: page.deps.clock.now() });
      const navigation = visitor && (
        <Navigation page={page} visitor={visitor} current={current} formToken={formToken} texts={texts} />
      );
      return { ...say(texts, language, times), navigation };
    },
  });
}

interface NavigationProps {
  page: PageRequest;
  visitor: Visitor;
  current: SelfServicePage["current"];
  formToken: string | undefined;
  texts: Texts;
}

function Navigation({ page: { deps }, visitor, current, formToken, texts: { navigation } }: NavigationProps) {
  const link = (path: string, text: string, isCurrent: boolean) => (
    <a href={pathOn(deps, path)} aria-current={isCurrent ? "page" : undefined}>
      {text}
    </a>
  );
  return (
    <>
      <nav aria-label={navigation.label}>
        {link("/me", navigation.devices, current === "devices")}
        {link("/me/apps", navigation.applications, current === "applications")}
        {visitor.hasRole && link("/console", navigation.administration, false)}
      </nav>
      <form method="post" action={pathOn(deps, "/login/end")}>
        <input type="hidden" name="form_token" value={formToken} />
        <button class="plain" title={`${navigation.signedInAs} ${visitor.person}`}>
          {navigation.signOut}
        </button>
      </form>
    </>
  );
}
