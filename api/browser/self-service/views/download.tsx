import type { Child } from "hono/jsx";
import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import { storesFor } from "../../../../domain/onboarding-apps.ts";
import { radiusServerNames } from "../../../../domain/certificate/entitlement.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { filled, type Times } from "../../../pages/parts/times.tsx";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { Check } from "../device/check.ts";
import { fileNameOf, type HandOverPaths } from "../hand-over-paths.ts";
import { installCommand } from "../device/install-command.ts";
import type { Objection } from "../../../resources/hand-over/accept-hand-over.ts";
import type { Texts } from "../texts/texts.ts";
import type { Viewer } from "../viewer.ts";
import { AppSteps, Stores } from "./app-steps.tsx";
import { CheckSection } from "./check.tsx";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { Back } from "./form-parts.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { StepPicture } from "./step-picture.tsx";

/** The profile that the new one replaces. */
export interface ReplacedProfile extends Pick<Certificate, "name" | "serialNumber"> {
  /** The earliest time at which the old profile is revoked; null: the new file has not been sent yet. */
  endsAt: Date | null;
}

export interface DownloadView {
  paths: HandOverPaths;
  /** The hidden fields of the form that requests the profile; undefined once the profile is ready. */
  hidden: Readonly<Record<string, string>> | undefined;
  /** Until when the Download button works. */
  until: Date;
  /** Why the request for the profile was refused; undefined if it was not. */
  objection: Objection | undefined;
  /** The network's check of the profile; undefined if there is none to show. */
  check: Check | undefined;
  replaced: ReplacedProfile | undefined;
}

const refreshSeconds = 5;
const refreshMs = 10 * 60_000;

/**
 * Returns the seconds until the page reloads: for a while after the download, until the network has asked about the
 * profile. Undefined: it does not reload.
 */
const refreshOf = ({ downloadedAt, lastOcspAt }: HandOver, now: Date): number | undefined =>
  downloadedAt !== null && lastOcspAt === null && now.getTime() - downloadedAt.getTime() < refreshMs
    ? refreshSeconds
    : undefined;

/**
 * Shows one large button, the next steps on this kind of device and, after the download, whether the network has asked
 * about the profile.
 */
export function sendDownload(
  page: PageRequest,
  handOver: HandOver,
  { realm, owner }: Viewer,
  view: DownloadView,
): void {
  const { hidden, objection, check, replaced } = view;
  const isMade = hidden === undefined;
  const leadsToApp = !isMade && objection === undefined && mayUseApp(realm, handOver);
  sendSelfServicePage(page, {
    status: objection === undefined ? 200 : 409,
    realm,
    visitor: owner?.visitor,
    current: "devices",
    refreshSeconds: refreshOf(handOver, page.deps.clock.now()),
    say: (texts, language, times) => ({
      title: titleOf(handOver, { isMade, texts }),
      body: (
        <>
          {objection !== undefined && owner !== undefined && (
            <ObjectionBanner
              realm={realm}
              language={language}
              objection={objection}
              limit={owner.limit}
              isGuest={owner.visitor === undefined}
              texts={texts}
            />
          )}
          {check !== undefined && (
            <CheckSection
              check={check}
              handOver={handOver}
              realm={realm}
              texts={texts}
              language={language}
              times={times}
            />
          )}
          <Ways
            page={page}
            handOver={handOver}
            realm={realm}
            leadsToApp={leadsToApp}
            file={
              <FileCard
                handOver={handOver}
                realm={realm}
                leadsToApp={leadsToApp}
                view={view}
                texts={texts}
                times={times}
              />
            }
            texts={texts}
          />
          {replaced !== undefined && owner !== undefined && (
            <Replaced replaced={replaced} home={owner.home} texts={texts} times={times} />
          )}
          {owner !== undefined && (
            <Back href={owner.home}>
              {owner.visitor === undefined ? texts.handOver.toGuest : texts.handOver.toDevices}
            </Back>
          )}
        </>
      ),
    }),
  });
}

interface WaysProps {
  page: PageRequest;
  handOver: HandOver;
  realm: RealmRow;
  leadsToApp: boolean;
  file: Child;
  texts: Texts;
}

/**
 * Returns whether the page may lead to the geteduroam app, which fetches the profile itself: if the realm has apps, and
 * the kind of device has the app. Guests cannot sign in to the app, and people who chose another format want that
 * format.
 */
function mayUseApp(realm: RealmRow, handOver: HandOver): boolean {
  const recipe = recipeFor(handOver);
  const isUsual = !["onc", "iwd", "pkcs12", "pem"].includes(recipe);
  return realm.onboardingApps && handOver.userId !== null && isUsual && storesFor(handOver.deviceType).length > 0;
}

/**
 * Shows the file and, if the page leads to the app, the app's steps. The steps come first, except on Apple's devices.
 */
function Ways({ page, handOver, realm, leadsToApp, file, texts }: WaysProps) {
  const recipe = recipeFor(handOver);
  if (!leadsToApp) return <>{file}</>;
  const steps = <AppSteps page={page} realm={realm} deviceType={handOver.deviceType} texts={texts} />;
  if (recipe === "appleMobile" || recipe === "mac") {
    return (
      <>
        {file}
        <details class="more">
          <summary>{texts.apps.anotherApp}</summary>
          <div>{steps}</div>
        </details>
      </>
    );
  }
  return (
    <>
      <div class="card">
        <h2>{texts.apps.title}</h2>
        {steps}
      </div>
      {recipe === "networkmanager" ? (
        <>
          <h2>{texts.apps.another}</h2>
          {file}
        </>
      ) : (
        <details class="more">
          <summary>{texts.apps.another}</summary>
          {file}
        </details>
      )}
    </>
  );
}

interface FileCardProps {
  handOver: HandOver;
  realm: RealmRow;
  leadsToApp: boolean;
  view: DownloadView;
  texts: Texts;
  times: Times;
}

/** Shows the Download button and the next steps on this kind of device. */
function FileCard({ handOver, realm, leadsToApp, view: { paths, hidden, until }, texts, times }: FileCardProps) {
  const recipe = recipeFor(handOver);
  const isMade = hidden === undefined;
  return (
    <div class="card">
      {isMade ? (
        <a class="button large" href={paths.file}>
          {texts.ready.download}
        </a>
      ) : (
        <form method="post" action={paths.make}>
          <button class="large">{texts.ready.download}</button>
          <Hidden fields={hidden} />
        </form>
      )}
      <Until handOver={handOver} until={until} isMade={isMade} texts={texts} times={times} />
      <h2>{texts.ready.then}</h2>
      <ol class="steps">
        {texts.steps[recipe](realm.ssids).map((step, index) => (
          <li>
            {step}
            <StepPicture recipe={recipe} step={index} />
          </li>
        ))}
      </ol>
      {realm.wired && (recipe === "mac" || recipe === "networkmanager") && <p>{texts.ready.wired}</p>}
      {(recipe === "appleMobile" || recipe === "mac") && <p class="dim">{texts.ready.hints[recipe]}</p>}
      {recipe === "app" && !leadsToApp && (
        <>
          <Stores deviceType={handOver.deviceType} texts={texts.apps} />
          <p>{texts.apps.removeOlder}</p>
        </>
      )}
      {(recipe === "networkmanager" || recipe === "iwd") && (
        <>
          <p>{texts.ready.terminal}</p>
          <pre class="copy">{installCommand(recipe, fileNameOf(handOver))}</pre>
        </>
      )}
      {(recipe === "pkcs12" || recipe === "pem") && (
        <Values realm={realm} ca={paths.ca} isBundle={recipe === "pkcs12"} texts={texts} />
      )}
      <p class="dim">{texts.ready.again}</p>
      {/*
       * The browser stays on the page when it downloads a file, and Chromium then no longer reloads the page
       * automatically.
       */}
      {handOver.downloadedAt === null && (
        <a class="button quiet" href="?">
          {texts.ready.look}
        </a>
      )}
    </div>
  );
}

function titleOf({ userId, name }: HandOver, { isMade, texts: { ready } }: { isMade: boolean; texts: Texts }): string {
  if (userId === null) return isMade ? ready.titleOther : ready.setUpOther;
  return (isMade ? ready.title : ready.setUp)(withoutBidiControls(name));
}

interface UntilProps {
  handOver: HandOver;
  until: Date;
  isMade: boolean;
  texts: Texts;
  times: Times;
}

/** Shows how long the file can be downloaded and when it was downloaded, and warns that it contains a secret key. */
function Until({ handOver: { downloadedAt }, until, isMade, texts: { ready }, times }: UntilProps) {
  return (
    <p class="dim">
      {downloadedAt !== null
        ? filled(ready.downloaded, times.time(downloadedAt), times.until(until))
        : filled(isMade ? ready.until : ready.notYet, times.until(until))}{" "}
      {ready.secret}
    </p>
  );
}

/** Returns which steps lead from the file to the network. */
function recipeFor({ deviceType, format }: HandOver): keyof Texts["steps"] {
  switch (format) {
    case "mobileconfig":
      return deviceType === "MacOS" ? "mac" : "appleMobile";
    case "eap-config":
      return "app";
    case "onc":
    case "networkmanager":
    case "iwd":
      return format;
    case "pkcs12":
    case "pfx":
      return "pkcs12";
    case "pem":
    case "crt":
    case null:
      return "pem";
  }
}

interface ValuesProps {
  realm: RealmRow;
  ca: string;
  isBundle: boolean;
  texts: Texts;
}

function Values({ realm, ca, isBundle, texts: { ready } }: ValuesProps) {
  return (
    <>
      <h2>{ready.values}</h2>
      <dl>
        <dt>{ready.wifi}</dt>
        <dd>{realm.ssids.join(", ")}</dd>
        {realm.wired && (
          <>
            <dt>{ready.wiredNetworks}</dt>
            <dd>{ready.sameValues}</dd>
          </>
        )}
        <dt>{ready.method}</dt>
        <dd>EAP-TLS</dd>
        <dt>{ready.identity}</dt>
        <dd>{`@${realm.domain}`}</dd>
        <dt>{ready.server}</dt>
        <dd>{radiusServerNames(realm).join(", ")}</dd>
        {isBundle && (
          <>
            <dt>{ready.password}</dt>
            <dd>{ready.noPassword}</dd>
          </>
        )}
      </dl>
      <p>
        <a class="link" href={ca}>
          {ready.caDownload}
        </a>
      </p>
    </>
  );
}

interface ReplacedProps {
  replaced: ReplacedProfile;
  home: string;
  texts: Texts;
  times: Times;
}

function Replaced({ replaced, home, texts: { ready }, times }: ReplacedProps) {
  return (
    <div class="card">
      <p>{ready.revokeOld(withoutBidiControls(replaced.name))}</p>
      {replaced.endsAt !== null && <p>{filled(ready.oldEnds, times.end(replaced.endsAt))}</p>}
      <a class="button quiet" href={`${home}/devices/${replaced.serialNumber}/revoke`}>
        {ready.revokeOldLink}
      </a>
    </div>
  );
}
