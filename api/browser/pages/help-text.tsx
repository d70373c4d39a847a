import type { Language } from "../../../domain/words/language.ts";
import type { PageRealm } from "./page-realm.ts";
import { pageTexts } from "./texts/page-texts.ts";

interface HelpTextProps {
  text: string;
  /** The text's. */
  language: Language;
  realm: Pick<PageRealm, "helpUri"> | undefined;
}

/** A text in which the words for the help desk lead there, where the realm says where that is. */
export function HelpText({ text, language, realm }: HelpTextProps) {
  const { helpDesk } = pageTexts(language);
  const at = text.toLowerCase().indexOf(helpDesk.toLowerCase());
  if (at < 0 || realm === undefined || realm.helpUri === "") return <>{text}</>;
  const end = at + helpDesk.length;
  return (
    <>
      {text.slice(0, at)}
      <a class="help" href={realm.helpUri} rel="noopener">
        {text.slice(at, end)}
      </a>
      {text.slice(end)}
    </>
  );
}
