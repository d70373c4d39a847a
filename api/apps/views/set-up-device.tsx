import type { Child } from "hono/jsx";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import type { ProfileRefusal } from "../../../domain/certificate/entitlement.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { Language } from "../../../domain/words/language.ts";
import type { Vocabulary } from "../../../domain/words/vocabulary.ts";
import { wordsIn } from "../../../domain/words/words-in.ts";
import { HelpText } from "../../pages/parts/help-text.tsx";
import { Hidden } from "../../pages/parts/hidden.tsx";
import { filled, timesIn, type Times } from "../../pages/parts/times.tsx";
import type { PageRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { withoutBidiControls } from "../../pages/without-bidi-controls.ts";
import { sendPage } from "../../pages/send-page.tsx";
import type { Texts } from "../../pages/texts/texts.ts";

export interface SetUpDeviceView {
  realm: PageRealm;
  /** The most familiar of the signed-in user's names. */
  person: string;
  /** The app's name, and the device that it runs on. */
  app: string;
  deviceType: DeviceType;
  name: string;
  isWrongName: boolean;
  /** The active profiles that the new one may replace. */
  profiles: readonly Pick<Certificate, "serialNumber" | "name" | "notAfter" | "lastOcspAt">[];
  /** The serial number of the profile on this device; null: none is known. */
  chosen: string | null;
  /** Whether the limit has room for one more. */
  canBeNew: boolean;
  /**
   * Why the user cannot allow the app now. `nextAt`: when the user can, after too many authorizations within the hour.
   */
  objection:
    Exclude<ProfileRefusal, "user_not_found" | "user_offboarded"> | "user_not_permitted" | { nextAt: Date } | undefined;
  /** How many profiles the user may have. */
  limit: number;
  /** The path of My devices. */
  devices: string;
  /** The form's action and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** The address that shows this page. */
  address: string;
  /** Where to sign in as another user. */
  notYou: string;
}

const statusOf = ({ objection, isWrongName }: SetUpDeviceView): number => {
  if (objection !== undefined) return typeof objection === "object" ? 429 : 409;
  return isWrongName ? 400 : 200;
};

/**
 * Asks the user to let an app set up the device, with two buttons named `decision`: `allow` and `deny`. If there is an
 * objection, explains it and shows only `deny`.
 */
export function sendSetUpDevice(page: PageRequest, view: SetUpDeviceView): void {
  const { realm, person, app, deviceType, objection, action, hidden, notYou, address } = view;
  const now = page.deps.clock.now();
  if (typeof objection === "object") {
    const seconds = Math.max(1, Math.ceil((objection.nextAt.getTime() - now.getTime()) / 1_000));
    page.response.setHeader("Retry-After", String(seconds));
  }
  sendPage(page, {
    status: statusOf(view),
    realm,
    address,
    leadsAway: true,
    say: (texts, language) => ({
      title: texts.setUpDevice.title,
      body: (
        <>
          <div class="account">
            <p>
              <span class="dim">{texts.signedIn.as}</span>
              <br />
              <strong class="name">{person}</strong>
            </p>
            <a class="link" href={notYou}>
              {texts.consent.notYou}
            </a>
          </div>
          <p>{texts.setUpDevice.asks(app, wordsIn(language).deviceTypes[deviceType].aDevice)}</p>
          {objection === undefined ? (
            <>
              <p>{texts.setUpDevice.intro}</p>
              <p class="dim">{texts.setUpDevice.careful}</p>
            </>
          ) : (
            <Objection view={view} texts={texts} language={language} now={now} />
          )}
          <form method="post" action={action}>
            <Hidden fields={hidden} />
            {objection === undefined && (
              <Fields
                view={view}
                texts={texts}
                words={wordsIn(language).profile}
                times={timesIn(language, { timeZone: realm.timeZone, now })}
              />
            )}
            <div class="pair">
              <button class="quiet" form="deny" name="decision" value="deny">
                {texts.setUpDevice.cancel}
              </button>
              {objection === undefined && (
                <button name="decision" value="allow">
                  {texts.setUpDevice.submit}
                </button>
              )}
            </div>
          </form>
          {/* "Cancel" has a separate form: Enter in the name field presses the first button of that field's form. */}
          <form id="deny" method="post" action={action} hidden>
            <Hidden fields={hidden} />
          </form>
          {objection === "profile_limit_reached" && (
            <a class="link" href={view.devices}>
              {texts.setUpDevice.toDevices}
            </a>
          )}
        </>
      ),
    }),
  });
}

interface FieldsProps {
  view: SetUpDeviceView;
  texts: Texts;
  words: Vocabulary["profile"];
  times: Times;
}

function Fields(props: FieldsProps) {
  const { view, texts, words } = props;
  const { name, isWrongName } = view;
  const { setUpDevice } = texts;
  return (
    <>
      {isWrongName && (
        <p class="alert" id="wrong-name" role="alert" tabindex={-1} autofocus>
          {words.wrongName}
        </p>
      )}
      <label for="name">{setUpDevice.name}</label>
      <input
        id="name"
        name="name"
        type="text"
        value={name}
        required
        maxlength={64}
        autocomplete="off"
        aria-invalid={isWrongName ? "true" : undefined}
        aria-describedby={isWrongName ? "wrong-name" : "name-hint"}
      />
      <p class="dim hint" id="name-hint">
        {words.nameHint}
      </p>
      {view.profiles.length > 0 && <Places {...props} />}
    </>
  );
}

/** Asks which profile the new one replaces, if any; this device's own profile is preselected if it is known. */
function Places({ view, texts: { setUpDevice }, words, times }: FieldsProps) {
  const { profiles, chosen, canBeNew, limit } = view;
  return (
    <fieldset class="places card">
      <legend>{setUpDevice.where}</legend>
      {canBeNew ? (
        <label class="option">
          <input type="radio" name="replaces" value="" checked={chosen === null} required />
          <span>{setUpDevice.newDevice}</span>
        </label>
      ) : (
        <p class="dim">{setUpDevice.full(limit)}</p>
      )}
      {profiles.map(({ serialNumber, name, notAfter, lastOcspAt }) => (
        <label class="option">
          <input type="radio" name="replaces" value={serialNumber} checked={serialNumber === chosen} required />
          <span>
            {filled(setUpDevice.inPlaceOf, <span class="name">{withoutBidiControls(name)}</span>)}
            <br />
            <span class="dim">
              {filled(words.validUntil, times.end(notAfter))} ·{" "}
              {lastOcspAt === null ? words.notSeen : filled(words.lastSeen, times.moment(lastOcspAt))}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ObjectionProps {
  view: SetUpDeviceView;
  texts: Texts;
  language: Language;
  now: Date;
}

/** Explains why the user cannot allow the app now, and what to do. */
function Objection({ view: { objection, limit, realm }, texts: { setUpDevice }, language, now }: ObjectionProps) {
  if (objection === undefined) return null;
  const { objections } = setUpDevice;
  if (typeof objection === "object") {
    const time = timesIn(language, { timeZone: realm.timeZone, now }).time(objection.nextAt);
    return <Banner title={objections.limited.title}>{filled(objections.limited.text, time)}</Banner>;
  }
  const { title, text } = { ...objections, ...wordsIn(language).notIssuing }[objection];
  return (
    <Banner title={title}>
      <HelpText text={typeof text === "string" ? text : text(limit)} language={language} realm={realm} />
    </Banner>
  );
}

function Banner({ title, children }: { title: string; children?: Child }) {
  return (
    <section class="banner" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
    </section>
  );
}
