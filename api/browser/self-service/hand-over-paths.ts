import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { CertificateFormat } from "../../../domain/certificate-format.ts";
import { profileFileName, radiusCaFileName } from "../../../domain/file-name.ts";
import { pathOn } from "../pages/continue-to.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { tokenOfHandOver } from "./hand-over-token.ts";
import type { Viewer } from "./viewer.ts";

/** Where things of a hand-over are. */
export interface HandOverPaths {
  page: string;
  /** Where Download posts to. */
  make: string;
  file: string;
  /** The CA of the RADIUS server. */
  ca: string;
}

/** The format of the file; before somebody has chosen one, the one that most systems open. */
export const formatOf = ({ format }: Pick<HandOver, "format">): CertificateFormat => format ?? "pkcs12";

/** The name of the file, in its address and in the browser's directory of downloads. */
export const fileNameOf = (handOver: Pick<HandOver, "name" | "format">): string =>
  profileFileName({ name: handOver.name, format: formatOf(handOver) });

/** Where a hand-over's page and files are, for its owner or for who came with its link. */
export function pathsOf({ deps }: PageRequest, handOver: HandOver, { owner }: Viewer): HandOverPaths {
  const page =
    owner === undefined
      ? pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`)
      : `${owner.home}/hand-overs/${handOver.id}`;
  const make = `${page}/file`;
  return { page, make, file: `${make}/${fileNameOf(handOver)}`, ca: `${make}/${radiusCaFileName}` };
}
