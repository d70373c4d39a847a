import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../../domain/entitlement.ts";
import type { Language } from "../../../../domain/words/language.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { withoutBidiControls } from "../../pages/without-bidi-controls.ts";
import type { Viewer } from "../viewer.ts";
import { networkManagerCommands } from "../network-manager.ts";
import type { Texts } from "../texts/texts.ts";
import { momentIn, timeIn } from "../../pages/dates.ts";
import { Back } from "./form-parts.tsx";
import { sendSelfServicePage } from "./page.tsx";

export interface ReadyFiles {
  filename: string;
  /** The addresses of the profile's file and of the CA's. */
  file: string;
  ca: string;
}

/** The profile whose place the new one takes. */
export interface ReplacedProfile extends Pick<Certificate, "name" | "serialNumber"> {
  /** When it is revoked by itself; undefined: not at all. */
  endsAt: Date | undefined;
}

export interface ReadyView {
  files: ReadyFiles;
  /** Until when the file can be fetched. */
  until: Date;
  replaced: ReplacedProfile | undefined;
}

/** One large button, and how to go on with the file on this kind of device. */
export function sendReady(page: PageRequest, handOver: HandOver, { realm, owner }: Viewer, view: ReadyView): void {
  const { files, until, replaced } = view;
  const { downloadedAt } = handOver;
  const recipe = recipeFor(handOver);
  sendSelfServicePage(page, {
    realm,
    visitor: owner?.visitor,
    current: "devices",
    say: (texts, language) => ({
      title: handOver.userId === null ? texts.ready.titleOther : texts.ready.title(withoutBidiControls(handOver.name)),
      body: (
        <>
          <div class="card">
            <a class="button large" href={files.file}>
              {texts.ready.download}
            </a>
            {recipe === "linux" && (
              <a class="button quiet" href={files.ca}>
                {texts.ready.caDownload}
              </a>
            )}
            <p class="dim">
              {downloadedAt === null
                ? texts.ready.until(timeIn(language, until))
                : texts.ready.again(timeIn(language, downloadedAt))}
            </p>
            <h2>{texts.ready.then}</h2>
            <ol class="steps">
              {texts.steps[recipe](realm.ssids).map((step) => (
                <li>{step}</li>
              ))}
            </ol>
            {recipe === "app" && (
              <p>
                <a class="link" href="https://www.geteduroam.app/" rel="noreferrer">
                  {texts.ready.appLink}
                </a>
              </p>
            )}
            {recipe === "linux" && <NetworkManager realm={realm} filename={files.filename} texts={texts} />}
            {(recipe === "pkcs12" || recipe === "pem") && (
              <Values realm={realm} ca={files.ca} isBundle={recipe === "pkcs12"} texts={texts} />
            )}
          </div>
          {replaced !== undefined && owner !== undefined && (
            <Replaced replaced={replaced} home={owner.home} texts={texts} language={language} />
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

/** Which steps lead from the file to the network. */
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
  language: Language;
}

function Replaced({ replaced, home, texts: { ready }, language }: ReplacedProps) {
  return (
    <div class="card">
      <p>{ready.revokeOld(withoutBidiControls(replaced.name))}</p>
      {replaced.endsAt !== undefined && <p>{ready.oldEnds(momentIn(language, replaced.endsAt))}</p>}
      <a class="button quiet" href={`${home}/devices/${replaced.serialNumber}/revoke`}>
        {ready.revokeOldLink}
      </a>
    </div>
  );
}
