import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import { pathOn } from "../pages/continue-to.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { fileNameOf } from "./file-name.ts";
import { tokenOfHandOver } from "./hand-over-token.ts";
import { radiusCaFilename } from "./radius-ca-filename.ts";
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

/** Where a hand-over's page and files are, for its owner or for who came with its link. */
export function pathsOf({ deps }: PageRequest, handOver: HandOver, { owner }: Viewer): HandOverPaths {
  const page =
    owner === undefined
      ? pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`)
      : `${owner.home}/hand-overs/${handOver.id}`;
  const make = `${page}/file`;
  return { page, make, file: `${make}/${fileNameOf(handOver)}`, ca: `${make}/${radiusCaFilename}` };
}
