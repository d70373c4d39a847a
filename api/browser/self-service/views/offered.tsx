import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { deviceTypes } from "../../../../domain/certificate/device.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import { handOverView } from "../../../resources/hand-over/hand-over-view.ts";
import { stateOf, type HandOverState } from "../../../resources/hand-over/hand-over-state.ts";
import type { Owner } from "../owner.ts";
import type { Texts } from "../texts/texts.ts";
import { filled, type Times } from "../../../pages/parts/times.tsx";
import { Back } from "./form-parts.tsx";
import { Notice } from "./notice.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { QrCode } from "./qr-code.tsx";
import { ShortCode } from "./short-code.tsx";

const refreshSeconds = 3;

/** Shows an owner the QR code of a hand-over, or who claimed it. The page reloads automatically until the claim. */
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
    say: (texts, _, times) => ({
      title: titleOf(state, texts),
      body: (
        <>
          {state === "waiting" ? (
            <Code page={page} handOver={handOver} texts={texts} times={times} />
          ) : state === "expired" ? (
            <div class="card">
              <p>{texts.handOver.expired}</p>
              <a class="button" href={`${home}/devices/new`}>
                {texts.handOver.another}
              </a>
            </div>
          ) : (
            <PickedUp handOver={handOver} state={state} texts={texts} times={times} isGuest={isGuest} />
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

interface ViewContext {
  handOver: HandOver;
  texts: Texts;
  times: Times;
}

function Code({ page: { deps }, handOver, texts, times }: ViewContext & { page: PageRequest }) {
  const { link, page, code } = handOverView(deps, handOver);
  return (
    <div class="card scan">
      <QrCode text={link} label={texts.handOver.qr} />
      <div>
        <p>{texts.handOver.scan(withoutBidiControls(handOver.name))}</p>
        {handOver.codeHash !== null && (
          <p>
            {filled(texts.shortCode.or, <strong>{page.replace(/^https:\/\//, "")}</strong>, <ShortCode code={code} />)}
          </p>
        )}
        <p>{filled(texts.handOver.once, times.until(handOver.expiresAt))}</p>
        <p class="dim">{texts.handOver.follows}</p>
      </div>
    </div>
  );
}

function PickedUp({
  handOver,
  state,
  texts,
  times,
  isGuest,
}: ViewContext & { state: HandOverState; isGuest: boolean }) {
  const device = deviceTypes.find((each) => each === handOver.pickedUpBy) ?? "Other";
  const { downloadedAt } = handOver;
  const claimedAt = handOver.claimedAt ?? handOver.pickedUpAt;
  return (
    <div class="card">
      {claimedAt !== null && (
        <Notice>{filled(texts.handOver.pickedUp, texts.deviceTypes[device].aDevice, times.time(claimedAt))}</Notice>
      )}
      {state === "failed" ? (
        <p>{texts.failed.text}</p>
      ) : (
        <p>{isGuest ? texts.handOver.pickedUpTextGuest : texts.handOver.pickedUpText}</p>
      )}
      {downloadedAt !== null && <p class="dim">{filled(texts.handOver.downloaded, times.time(downloadedAt))}</p>}
    </div>
  );
}
