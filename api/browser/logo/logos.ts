import type { LogoOwner, Logos, Picture } from "../../contract/deps.ts";
import { BoundedMap } from "../../../runtime/bounded-map.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { logoSource } from "../../pages/parts/logo-path.ts";
import { PictureError, type FetchPicture } from "./fetch-picture.ts";

export interface LogosOptions {
  fetchPicture: FetchPicture;
  /** Reads a realm's uploaded logo; undefined if the realm no longer has a logo with this digest. */
  readUploaded: (uploaded: { realmId: string; digest: string }) => Promise<Picture | undefined>;
  clock: Clock;
  log: Log;
  /** Beyond this number the least recently used logo is dropped. Default: 256, which take 64 MiB at most. */
  keptMax?: number;
}

/** A picture is fetched again after this time; until the new picture arrives, the old one is shown. */
const freshMs = 60 * 60_000;
/** A failed fetch is repeated after this long. */
const retryMs = 60_000;
/** How long a picture is shown while its source is unreachable. */
const keptMs = 7 * 24 * 60 * 60_000;

interface Kept {
  source: string;
  picture: Picture | undefined;
  fetchedAt: number;
  askAgainAt: number;
  pending: Promise<void> | undefined;
}

/** Caches logos in memory, one per realm. All requests that wait for a logo share one fetch. */
export function createLogos({ fetchPicture, readUploaded, clock, log, keptMax = 256 }: LogosOptions): Logos {
  const known = new BoundedMap<string, Kept>(keptMax);
  const now = (): number => clock.now().getTime();

  const entryOf = (realm: LogoOwner): Kept => {
    const { id } = realm;
    const source = logoSource(realm);
    const found = known.get(id);
    const entry =
      found?.source === source
        ? found
        : { source, picture: undefined, fetchedAt: 0, askAgainAt: 0, pending: undefined };
    known.set(id, entry);
    return entry;
  };

  const read = ({ id, logoUri, uploadedLogo }: LogoOwner): Promise<Picture | undefined> =>
    uploadedLogo === null ? fetchPicture(logoUri) : readUploaded({ realmId: id, digest: uploadedLogo });

  const refresh = async (entry: Kept, realm: LogoOwner): Promise<void> => {
    const { id: realmId } = realm;
    try {
      entry.picture = await read(realm);
      entry.fetchedAt = now();
      entry.askAgainAt = now() + freshMs;
    } catch (error) {
      const why = error instanceof PictureError ? { reason: error.message } : { err: error };
      log.warn({ event: "logo.unavailable", realmId, ...why }, "a realm's logo could not be fetched");
      entry.askAgainAt = now() + retryMs;
    }
    entry.pending = undefined;
  };

  const pictureOf = ({ picture, fetchedAt }: Kept): Picture | undefined =>
    now() - fetchedAt < keptMs ? picture : undefined;

  return {
    async find(realm) {
      if (logoSource(realm) === "") return undefined;
      const entry = entryOf(realm);
      if (entry.pending === undefined && now() >= entry.askAgainAt) entry.pending = refresh(entry, realm);
      if (pictureOf(entry) === undefined) await entry.pending;
      return pictureOf(entry);
    },

    mayHave(realm) {
      const source = logoSource(realm);
      const entry = known.get(realm.id);
      if (source === "" || entry?.source !== source) return source !== "";
      return pictureOf(entry) !== undefined || entry.pending !== undefined || now() >= entry.askAgainAt;
    },
  };
}
