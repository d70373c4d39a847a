import { HelpText } from "../../../pages/parts/help-text.tsx";
import type { Language } from "../../../../domain/words/language.ts";
import type { PageRealm } from "../../../pages/page-realm.ts";
import type { Objection } from "../../../resources/hand-over/accept-hand-over.ts";
import type { Texts } from "../texts/texts.ts";
import { Banner } from "./notice.tsx";

interface ObjectionProps {
  objection: Objection;
  limit: number | null;
  isGuest: boolean;
  realm: PageRealm;
  texts: Texts;
  language: Language;
}

/** Explains why no further profile is possible now, and what to do. */
export function ObjectionBanner(props: ObjectionProps) {
  const { title, text } = objectionText(props);
  return (
    <Banner title={title}>
      <HelpText text={text} language={props.language} realm={props.realm} />
    </Banner>
  );
}

function objectionText({ objection, limit, isGuest, texts: { objections, links } }: ObjectionProps): {
  title: string;
  text: string;
} {
  switch (objection) {
    case "profile_limit_reached": {
      const { title, text } = isGuest ? objections.guest_full : objections.profile_limit_reached;
      return { title, text: text(limit ?? 0) };
    }
    case "guest_account_ended":
      return links.guestExpired;
    case "user_not_found":
      return objections.user_offboarded;
    default:
      return objections[objection];
  }
}
