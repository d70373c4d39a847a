import { deviceTypes, type DeviceType } from "../../../../domain/certificate/device.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { offeredFormats, type OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";
import type { Owner } from "../owner.ts";
import type { Texts } from "../texts/texts.ts";
import { DeviceIcon } from "./device-icon.tsx";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { Back } from "./form-parts.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";

export interface NewDeviceFields {
  deviceType: DeviceType | undefined;
  name: string;
  /** Null: the format that suits the device. */
  format: OfferedFormat | null;
}

/** A field that is missing or invalid. */
export type NewDeviceFault = "device_type" | "name" | "format";

export interface NewDeviceView {
  fields: NewDeviceFields;
  faults: readonly NewDeviceFault[];
  hidden: Readonly<Record<string, string>>;
  mayBeIPad: boolean;
}

/** Asks for the kind, the name and the place of a device, or explains why no device can be added now. */
export function sendNewDevice(page: PageRequest, owner: Owner, view: NewDeviceView): void {
  const { realm, visitor, objection, home } = owner;
  sendSelfServicePage(page, {
    status: objection !== undefined ? 409 : view.faults.length > 0 ? 400 : 200,
    realm,
    visitor,
    current: "devices",
    say: (texts, language) => ({
      title: texts.add.title,
      body: (
        <>
          {objection === undefined ? (
            <NewDeviceForm view={view} isNamed={owner.displayName !== undefined} texts={texts} />
          ) : (
            <ObjectionBanner
              realm={realm}
              language={language}
              objection={objection}
              limit={owner.limit}
              isGuest={visitor === undefined}
              texts={texts}
            />
          )}
          <Back href={home}>{visitor === undefined ? texts.add.backGuest : texts.add.back}</Back>
        </>
      ),
    }),
  });
}

function NewDeviceForm({ view, isNamed, texts }: { view: NewDeviceView; isNamed: boolean; texts: Texts }) {
  const { fields, faults, hidden, mayBeIPad } = view;
  const { add, profile } = texts;
  const fault = (field: NewDeviceFault) =>
    faults.includes(field) ? { "aria-invalid": "true", "aria-describedby": `wrong-${field}` } : {};
  return (
    <form class="card" method="post">
      <FaultSummary view={view} texts={texts} />
      <DeviceChoice
        legend={add.deviceType}
        chosen={fields.deviceType}
        texts={texts}
        isWrong={faults.includes("device_type")}
      />
      {mayBeIPad && <p class="dim">{add.iPadHint}</p>}
      {isNamed && (
        <>
          <label for="name">{add.name}</label>
          <input
            id="name"
            name="name"
            type="text"
            value={fields.name}
            required
            maxlength={64}
            autocomplete="off"
            {...(faults.includes("name") ? fault("name") : { "aria-describedby": "name-hint" })}
          />
          <p class="dim hint" id="name-hint">
            {profile.nameHint}
          </p>
        </>
      )}
      <fieldset class="places">
        <legend>{add.where}</legend>
        <button name="place" value="here">
          {add.here}
        </button>
        <button class="quiet" name="place" value="elsewhere" aria-describedby="elsewhere-hint">
          {add.elsewhere}
        </button>
        <p class="dim hint" id="elsewhere-hint">
          {add.elsewhereHint}
        </p>
      </fieldset>
      <details class="more" open={faults.includes("format") || fields.format !== null}>
        <summary>{add.formats}</summary>
        <fieldset class="formats" {...fault("format")}>
          <legend class="dim">{add.formatsText}</legend>
          {[null, ...offeredFormats].map((format) => (
            <label class="option">
              <input
                type="radio"
                name="format"
                id={format === null ? "format" : undefined}
                value={format ?? ""}
                checked={format === fields.format}
              />
              <span>{format === null ? add.formatAutomatic : texts.formats[format]}</span>
            </label>
          ))}
        </fieldset>
      </details>
      <Hidden fields={hidden} />
    </form>
  );
}

/** Lists what to correct. The summary takes the focus, and its links lead to the fields. */
function FaultSummary({
  view: { faults, fields },
  texts: { add, profile, deviceTypes: words },
}: {
  view: NewDeviceView;
  texts: Texts;
}) {
  if (faults.length === 0) return null;
  const say: Readonly<Record<NewDeviceFault, string>> = {
    device_type: add.wrongDeviceType,
    name: profile.wrongName,
    format: add.wrongFormat(words[fields.deviceType ?? "Other"].aDevice),
  };
  return (
    <div class="alert" role="alert" tabindex={-1} autofocus>
      <p>{add.wrong(faults.length)}</p>
      <ul>
        {faults.map((fault) => (
          <li>
            <a href={`#${fault}`} id={`wrong-${fault}`}>
              {say[fault]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Shows eight large choices, each a radio button with a drawing. */
export function DeviceChoice({
  legend,
  chosen,
  texts,
  isWrong = false,
}: {
  legend: string;
  chosen: DeviceType | undefined;
  texts: Texts;
  isWrong?: boolean;
}) {
  return (
    <fieldset class="kinds">
      <legend>{legend}</legend>
      {choiceOrder.map((deviceType, index) => (
        <label>
          <input
            type="radio"
            name="device_type"
            value={deviceType}
            id={index === 0 ? "device_type" : undefined}
            checked={deviceType === chosen}
            required
            aria-describedby={isWrong ? "wrong-device_type" : undefined}
          />
          <DeviceIcon deviceType={deviceType} />
          <span>{texts.deviceTypes[deviceType].name}</span>
        </label>
      ))}
    </fieldset>
  );
}

const first: readonly DeviceType[] = ["iOS", "iPadOS", "Android", "MacOS", "Windows"];
const choiceOrder: readonly DeviceType[] = [...first, ...deviceTypes.filter((each) => !first.includes(each))];
