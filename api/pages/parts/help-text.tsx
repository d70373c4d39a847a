import type { Language } from "../../../domain/words/language.ts";
import type { PageRealm } from "../page-realm.ts";
import { pageTexts } from "../texts/page-texts.ts";

interface HelpTextProps {
  text: string;
  language: Language;
  realm: Pick<PageRealm, "helpUri"> | undefined;
}

/** Renders a text, with the words for the help desk as a link if the realm has the help desk's address. */
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
