import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import { profileFileName, radiusCaFileName } from "../../../domain/certificate/profile-file-name.ts";
import { pathOn } from "../../pages/continue-to.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { tokenOfHandOver } from "../../resources/hand-over/hand-over-token.ts";
import type { Viewer } from "./viewer.ts";

/** The addresses of a hand-over. */
export interface HandOverPaths {
  page: string;
  /** Where the Download button posts to. */
  make: string;
  file: string;
  /** The CA of the RADIUS server. */
  ca: string;
}

/** Returns the format of the file: the chosen one, or the one that most systems open. */
export const formatOf = ({ format }: Pick<HandOver, "format">): CertificateFormat => format ?? "pkcs12";

/** Returns the name of the file, in its address and in the browser's downloads. */
export const fileNameOf = (handOver: Pick<HandOver, "name" | "format">): string =>
  profileFileName({ name: handOver.name, format: formatOf(handOver) });

/** Returns the addresses of a hand-over's page and files, for its owner or for the holder of its link. */
export function pathsOf({ deps }: PageRequest, handOver: HandOver, { owner }: Viewer): HandOverPaths {
  const page =
    owner === undefined
      ? pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`)
      : `${owner.home}/hand-overs/${handOver.id}`;
  const make = `${page}/file`;
  return { page, make, file: `${make}/${fileNameOf(handOver)}`, ca: `${make}/${radiusCaFileName}` };
}
