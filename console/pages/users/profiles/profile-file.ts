import type { Schemas } from "../../../api/api-client.ts";
import { fileTypes, profileFileName } from "../../../../domain/certificate/profile-file-name.ts";
import type { OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";

type Created = Schemas["CreatedProfile"];

/** Returns the file of a created profile, and its name. `format` is the format that the profile was requested in. */
export function profileFile(created: Created, format: OfferedFormat): { name: string; content: Blob } {
  const bytes =
    created.data === undefined
      ? [created.certificate, created.privateKey].filter((part) => part !== undefined).join("\n")
      : Uint8Array.from(atob(created.data), (character) => character.charCodeAt(0));
  return {
    name: profileFileName({ name: created.name, format }),
    content: new Blob([bytes], { type: fileTypes[format].type }),
  };
}
