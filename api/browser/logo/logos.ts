import type { LogoOwner, Logos, Picture } from "../../contract/deps.ts";
import { BoundedMap } from "../../../runtime/bounded-map.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { PictureError, type FetchPicture } from "./fetch-picture.ts";

export interface LogosOptions {
  fetchPicture: FetchPicture;
  clock: Clock;
  log: Log;
  /** Beyond this number the least recently used logo is dropped. Default: 256, which take 64 MiB at most. */
  keptMax?: number;
}

/** A picture is fetched again after this long; the old one is shown meanwhile. */
const freshMs = 60 * 60_000;
/** A failed fetch is repeated after this long. */
const retryMs = 60_000;
/** How long a picture is shown while its source is unreachable. */
const keptMs = 7 * 24 * 60 * 60_000;
interface Kept {
  uri: string;
  picture: Picture | undefined;
  fetchedAt: number;
  askAgainAt: number;
  pending: Promise<void> | undefined;
}

/** Caches logos in memory, one per realm. However many requests wait for a logo, it is fetched once at a time. */
export function createLogos({ fetchPicture, clock, log, keptMax = 256 }: LogosOptions): Logos {
  const known = new BoundedMap<string, Kept>(keptMax);
  const now = (): number => clock.now().getTime();

  const entryOf = ({ id, logoUri }: LogoOwner): Kept => {
    const found = known.get(id);
    const entry =
      found?.uri === logoUri
        ? found
        : { uri: logoUri, picture: undefined, fetchedAt: 0, askAgainAt: 0, pending: undefined };
    known.set(id, entry);
    return entry;
  };

  const refresh = async (entry: Kept, realmId: string): Promise<void> => {
    try {
      entry.picture = await fetchPicture(entry.uri);
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
      if (realm.logoUri === "") return undefined;
      const entry = entryOf(realm);
      if (entry.pending === undefined && now() >= entry.askAgainAt) entry.pending = refresh(entry, realm.id);
      if (pictureOf(entry) === undefined) await entry.pending;
      return pictureOf(entry);
    },

    mayHave({ id, logoUri }) {
      const entry = known.get(id);
      if (logoUri === "" || entry?.uri !== logoUri) return logoUri !== "";
      return pictureOf(entry) !== undefined || entry.pending !== undefined || now() >= entry.askAgainAt;
    },
  };
}
