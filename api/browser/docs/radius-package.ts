import { X509Certificate } from "node:crypto";
import type { Deps } from "../../contract/deps.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { ustar, type ArchivedFile } from "../../../domain/ustar.ts";
import { fileRoute } from "../../http/file-route.ts";
import { saveAs } from "../../http/save-as.ts";
import { sendConditional } from "../../http/respond.ts";
import type { Route } from "../../http/route.ts";
import { findValues, withValues } from "./guide-values.ts";
import { filesBelow } from "./radius-archive.ts";

const directory = "realmpass-radius";
const modes = ["strict", "resilient"] as const;

/** Where files of `docs/radius` go in the package; files that match no entry are left out. */
const places: readonly (readonly [from: RegExp, to: string])[] = [
  [/^radius\/package\//, `${directory}/`],
  [/^radius\/common\/(?=mods-available\/|sites-available\/)/, `${directory}/common/`],
  [/^radius\/(?:strict|resilient)\/mods-available\//, `${directory}/eap/`],
  [/^radius\/resilient\/(?=fetch-crl$|systemd\/)/, `${directory}/`],
];

/**
 * `GET /docs/radius/package-:mode.tar?realm=`: sends the files that a RADIUS server of the realm needs, except its
 * certificate, its key and its clients, which the console adds. The package contains only public data.
 */
export const radiusPackageRoutes = (deps: Pick<Deps, "db" | "settings" | "clock">): Route[] =>
  modes.map((mode) =>
    fileRoute(`/docs/radius/package-${mode}.tar`, async (exchange) => {
      const values = await findValues(deps, exchange);
      if (values.realm === undefined) throw new ServiceError("not_found");
      const at = deps.clock.now();
      const trusted = await issuers.listCurrent(deps.db, values.realm.id);
      const found = await Promise.all(
        ["package", "common", mode].map((folder) =>
          filesBelow(`radius/${folder}`, (text) => withValues(deps, values, text)),
        ),
      );
      const made = (name: string, text: string): ArchivedFile => ({
        name: `${directory}/${name}`,
        content: new TextEncoder().encode(text),
        isExecutable: false,
        changedAt: at,
      });
      // Plain http, as in certificates: the RADIUS server may not trust the CA of the API's own certificate.
      const urls = trusted.map(({ id }) => `${deps.settings.publicationUrl}/crl/${id}.crl`);
      const archive = ustar([
        ...found.flat().flatMap(placed),
        made("issuers.pem", trusted.map(({ certificate }) => new X509Certificate(certificate).toString()).join("")),
        ...(mode === "resilient" ? [made("realmpass-crl", `CRL_URLS="${urls.join(" ")}"\n`)] : []),
      ]);
      saveAs(exchange.response, `package-${mode}.tar`);
      sendConditional(exchange.response, Buffer.from(archive), { type: "application/x-tar" });
    }),
  );

function placed(file: ArchivedFile): ArchivedFile[] {
  const place = places.find(([from]) => from.test(file.name));
  return place === undefined ? [] : [{ ...file, name: file.name.replace(...place) }];
}
