import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import type { Language } from "../../../../domain/words/language.ts";
import { HelpText } from "../../../pages/parts/help-text.tsx";
import { filled, type Times } from "../../../pages/parts/times.tsx";
import type { Check } from "../device/check.ts";
import type { Texts } from "../texts/texts.ts";
import { Notice } from "./notice.tsx";

interface CheckProps {
  check: Check;
  handOver: HandOver;
  realm: RealmRow;
  texts: Texts;
  language: Language;
  times: Times;
}

/** How many digits of a serial number are shown: enough to find the profile. */
const serialDigits = 8;

/**
 * Shows whether the network has asked about the profile; if that is overdue, shows what to try and where to get help.
 */
export function CheckSection({ check, handOver: { deviceType }, realm, texts, language, times }: CheckProps) {
  const { check: words } = texts;
  if (check.state === "asked") return <Notice>{filled(words.asked, times.time(check.at))}</Notice>;
  if (check.state === "waiting") {
    return (
      <div class="card">
        <h2>{words.title}</h2>
        <p>{words.waiting}</p>
      </div>
    );
  }
  return (
    <div class="card">
      <h2>{words.nothing}</h2>
      <ol class="steps">
        <li>{words.inRange(realm.ssids)}</li>
        <li>{words.forget[deviceType]}</li>
        <li>{words.choose(realm.ssids)}</li>
      </ol>
      <p>
        <HelpText text={words.help(check.serialNumber.slice(-serialDigits))} language={language} realm={realm} />
      </p>
      <a class="button quiet" href="?">
        {words.again}
      </a>
    </div>
  );
}
