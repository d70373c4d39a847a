import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { deviceTypes } from "../../../../domain/device.ts";
import type { Language } from "../../../../domain/words/language.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { withoutBidiControls } from "../../pages/without-bidi-controls.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { tokenOfHandOver } from "../hand-over-token.ts";
import { stateOf, type HandOverState } from "../hand-over-state.ts";
import type { Owner } from "../owner.ts";
import type { Texts } from "../texts/texts.ts";
import { timeIn } from "../../pages/dates.ts";
import { Back } from "./form-parts.tsx";
import { Notice } from "./notice.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { QrCode } from "./qr-code.tsx";

const refreshSeconds = 3;

/** Shows an owner the QR code of a hand-over, and who has picked it up: the page asks again by itself until then. */
export function sendOffered(page: PageRequest, owner: Owner, handOver: HandOver): void {
  const { deps } = page;
  const state = stateOf(handOver, deps.clock.now());
  const { realm, visitor, home } = owner;
  const isGuest = visitor === undefined;
  sendSelfServicePage(page, {
    realm,
    visitor,
    current: "devices",
    refreshSeconds: state === "waiting" || state === "preparing" ? refreshSeconds : undefined,
    say: (texts, language) => ({
      title: titleOf(state, texts),
      body: (
        <>
          {state === "waiting" ? (
            <Code page={page} handOver={handOver} texts={texts} language={language} />
          ) : state === "expired" ? (
            <div class="card">
              <p>{texts.handOver.expired}</p>
              <a class="button" href={`${home}/devices/new`}>
                {texts.handOver.another}
              </a>
            </div>
          ) : (
            <PickedUp handOver={handOver} state={state} texts={texts} language={language} isGuest={isGuest} />
          )}
          <Back href={home}>{isGuest ? texts.handOver.toGuest : texts.handOver.toDevices}</Back>
        </>
      ),
    }),
  });
}

const titleOf = (state: HandOverState, { handOver, failed }: Texts): string =>
  state === "waiting"
    ? handOver.titleWaiting
    : state === "expired"
      ? handOver.titleExpired
      : state === "failed"
        ? failed.title
        : handOver.titlePickedUp;

interface Said {
  handOver: HandOver;
  texts: Texts;
  language: Language;
}

function Code({ page: { deps }, handOver, texts, language }: Said & { page: PageRequest }) {
  const link = new URL(pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`), deps.settings.authUrl).href;
  return (
    <div class="card scan">
      <QrCode text={link} label={texts.handOver.qr} />
      <div>
        <p>{texts.handOver.scan(withoutBidiControls(handOver.name))}</p>
        <p>{texts.handOver.once(timeIn(language, handOver.expiresAt))}</p>
        <p class="dim">{texts.handOver.follows}</p>
      </div>
    </div>
  );
}

function PickedUp({ handOver, state, texts, language, isGuest }: Said & { state: HandOverState; isGuest: boolean }) {
  const device = deviceTypes.find((each) => each === handOver.pickedUpBy) ?? "Other";
  const { pickedUpAt, downloadedAt } = handOver;
  return (
    <div class="card">
      {pickedUpAt !== null && (
        <Notice>{texts.handOver.pickedUp(texts.deviceTypes[device].aDevice, timeIn(language, pickedUpAt))}</Notice>
      )}
      {state === "failed" ? (
        <p>{texts.failed.text}</p>
      ) : (
        <p>{isGuest ? texts.handOver.pickedUpTextGuest : texts.handOver.pickedUpText}</p>
      )}
      {downloadedAt !== null && <p class="dim">{texts.handOver.downloaded(timeIn(language, downloadedAt))}</p>}
    </div>
  );
}
