import { fileStem, fileTypes, radiusCaFileName } from "../../../domain/certificate/profile-file-name.ts";
import { saveFile } from "../../list/export-csv.ts";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";

/** A file of a created profile. */
export interface ProfileFile {
  kind: "pkcs12" | "certificate" | "privateKey" | "radiusCA";
  name: string;
  save: () => void;
}

/** Returns the downloads of a new profile. */
export function filesOf(profile: CreatedInfrastructureProfile): ProfileFile[] {
  const stem = fileStem(profile.name);
  const file = (kind: ProfileFile["kind"], ending: string, content: BlobPart, type: string): ProfileFile => {
    const name = `${stem}${ending}`;
    return {
      kind,
      name,
      save: () => {
        saveFile(new Blob([content], { type }), name);
      },
    };
  };
  const pem = fileTypes.pem.type;
  const { data, certificate, privateKey, radiusCA } = profile;
  return [
    ...(data === undefined ? [] : [file("pkcs12", ".p12", bytesOf(data), fileTypes.pkcs12.type)]),
    ...(certificate === undefined ? [] : [file("certificate", ".pem", certificate, pem)]),
    ...(privateKey === undefined ? [] : [file("privateKey", ".key", privateKey, pem)]),
    file("radiusCA", `-${radiusCaFileName}`, radiusCA, pem),
  ];
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
