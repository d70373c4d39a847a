/** The file of a page could not be fetched. */
export class FileNotLoaded extends Error {
  override readonly name = "FileNotLoaded";
}

/** Loads the file of a page. Throws {@link FileNotLoaded} if that fails. */
export const loadPage = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch((error: unknown) => {
    throw new FileNotLoaded("the file of a page could not be fetched", { cause: error });
  });

const triedAgainMs = 5_000;

/**
 * Loads the file of a part of a page; without a connection, waits for one. If the service no longer has the file, it
 * belongs to an older version, and the console reloads.
 */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (!(await isServiceReachable())) await nextChance();
      else if (!reloadOnce()) throw error;
    }
  }
}

/**
 * Resolves when the browser is online again, or after a while, because a browser may call itself online before it
 * reaches the service.
 */
export const nextChance = (): Promise<unknown> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, triedAgainMs);
    addEventListener(
      "online",
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });

/** Returns whether this page would load now. If not, reloading would show the browser's error page. */
export async function isServiceReachable(): Promise<boolean> {
  try {
    return (await fetch(location.href, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

const reloadedKey = "realmpass-reloaded";

/**
 * Reloads the console to get a newer version. Returns false if it has already reloaded, which prevents an endless loop.
 */
export function reloadOnce(): boolean {
  // The name of this file differs between versions.
  const reload = `${location.href} ${import.meta.url}`;
  if (sessionStorage.getItem(reloadedKey) === reload) return false;
  sessionStorage.setItem(reloadedKey, reload);
  location.reload();
  return true;
}
