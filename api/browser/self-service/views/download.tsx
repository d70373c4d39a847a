import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../../domain/certificate/entitlement.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { filled, type Times } from "../../../pages/parts/times.tsx";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { Check } from "../device/check.ts";
import { fileNameOf, type HandOverPaths } from "../hand-over-paths.ts";
import { networkManagerCommands } from "../device/network-manager.ts";
import type { Objection } from "../owner.ts";
import type { Texts } from "../texts/texts.ts";
import type { Viewer } from "../viewer.ts";
import { CheckSection } from "./check.tsx";
import { Back, Hidden } from "./form-parts.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { StepPicture } from "./step-picture.tsx";

/** The profile that the new one replaces. */
export interface ReplacedProfile extends Pick<Certificate, "name" | "serialNumber"> {
  /** When it is revoked automatically; undefined if it is not. */
  endsAt: Date | undefined;
}

export interface DownloadView {
  paths: HandOverPaths;
  /** The hidden fields of the form that requests the profile; undefined once it is ready. */
  hidden: Readonly<Record<string, string>> | undefined;
  /** Until when the Download button works. */
  until: Date;
  /** Why the profile was refused. */
  objection: Objection | undefined;
  /** The network's check of the profile; undefined if there is none to show. */
  check: Check | undefined;
  replaced: ReplacedProfile | undefined;
}

const refreshSeconds = 5;
const refreshMs = 10 * 60_000;

/** Reloads the page for a while after the download, to show whether the network has asked about the profile. */
const refreshOf = ({ downloadedAt, lastOcspAt }: HandOver, now: Date): number | undefined =>
  downloadedAt !== null && lastOcspAt === null && now.getTime() - downloadedAt.getTime() < refreshMs
    ? refreshSeconds
    : undefined;

/** Shows one large button, the next steps on this kind of device, and afterwards whether it worked. */
export function sendDownload(
  page: PageRequest,
  handOver: HandOver,
  { realm, owner }: Viewer,
  view: DownloadView,
): void {
  const { paths, hidden, objection, check, replaced } = view;
  const recipe = recipeFor(handOver);
  const isMade = hidden === undefined;
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
            {recipe === "linux" && (
              <a class="button quiet" href={paths.ca}>
                {texts.ready.caDownload}
              </a>
            )}
            <Until handOver={handOver} until={view.until} isMade={isMade} texts={texts} times={times} />
            <h2>{texts.ready.then}</h2>
            <ol class="steps">
              {texts.steps[recipe](realm.ssids).map((step, index) => (
                <li>
                  {step}
                  <StepPicture recipe={recipe} step={index} />
                </li>
              ))}
            </ol>
            {realm.wired && (recipe === "mac" || recipe === "linux") && <p>{texts.ready.wired}</p>}
            {(recipe === "appleMobile" || recipe === "mac") && <p class="dim">{texts.ready.hints[recipe]}</p>}
            {recipe === "app" && (
              <p>
                <a class="link" href="https://www.geteduroam.app/" rel="noreferrer">
                  {texts.ready.appLink}
                </a>
              </p>
            )}
            {recipe === "linux" && <NetworkManager realm={realm} filename={fileNameOf(handOver)} texts={texts} />}
            {(recipe === "pkcs12" || recipe === "pem") && (
              <Values realm={realm} ca={paths.ca} isBundle={recipe === "pkcs12"} texts={texts} />
            )}
            <p class="dim">{texts.ready.again}</p>
            {/* The browser stays on the page when it downloads a file, and Chromium then no longer reloads it by itself. */}
            {handOver.downloadedAt === null && (
              <a class="button quiet" href="?">
                {texts.ready.look}
              </a>
            )}
          </div>
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

/** Shows until when Download works, and what to know about the file. */
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
  if (format === "mobileconfig") return deviceType === "MacOS" ? "mac" : "appleMobile";
  if (format === "eap-config") return "app";
  if (format === "pkcs12" || format === "pfx") return "pkcs12";
  return deviceType === "Linux" ? "linux" : "pem";
}

function NetworkManager({ realm, filename, texts }: { realm: RealmRow; filename: string; texts: Texts }) {
  return (
    <>
      <p>{texts.ready.terminal}</p>
      <pre class="copy">{networkManagerCommands(realm, filename)}</pre>
    </>
  );
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
        <dd>{radiusServerName(realm)}</dd>
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
      {replaced.endsAt !== undefined && <p>{filled(ready.oldEnds, times.end(replaced.endsAt))}</p>}
      <a class="button quiet" href={`${home}/devices/${replaced.serialNumber}/revoke`}>
        {ready.revokeOldLink}
      </a>
    </div>
  );
}
