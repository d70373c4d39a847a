import type { Schemas } from "../../api/api-client.ts";
import type { OfferedFormat } from "../../../domain/offered-formats.ts";

type Created = Schemas["CreatedProfile"];

const files = {
  mobileconfig: { type: "application/x-apple-aspen-config", ending: ".mobileconfig" },
  "eap-config": { type: "application/eap-config", ending: ".eap-config" },
  pkcs12: { type: "application/x-pkcs12", ending: ".p12" },
  pem: { type: "application/x-pem-file", ending: ".pem" },
  crt: { type: "application/x-pem-file", ending: ".pem" },
} as const satisfies Record<OfferedFormat, unknown>;

/** A created profile as the file that its device opens. */
export function profileFile(created: Created, format: OfferedFormat): { name: string; content: Blob } {
  const { type, ending } = files[format];
  const bytes =
    created.data === undefined
      ? [created.certificate, created.privateKey].filter((part) => part !== undefined).join("\n")
      : Uint8Array.from(atob(created.data), (character) => character.charCodeAt(0));
  return { name: `${withoutBidiControls(created.name)}${ending}`, content: new Blob([bytes], { type }) };
}

/** A name that every system can have for a file. */
function withoutBidiControls(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return plain === "" ? "profile" : plain;
}
