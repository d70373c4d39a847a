/** The browser could not fetch the file of a page. */
export class FileNotLoaded extends Error {
  override readonly name = "FileNotLoaded";
}

/** Loads the file of a page. Throws {@link FileNotLoaded} if loading fails. */
export const loadPage = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch((error: unknown) => {
    throw new FileNotLoaded("the file of a page could not be fetched", { cause: error });
  });

const triedAgainMs = 5_000;

/**
 * Loads the file of a part of a page; without a connection, waits for one. If the service no longer has the file, this
 * page is of an older version, so the console reloads; throws if it has already reloaded.
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
 * Resolves when the browser is online again, or after a while, because a browser may report that it is online before it
 * can reach the service.
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

/** Returns true if this page would load now. Otherwise, a reload would show the browser's error page. */
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
  // Identifies the reload by the address and this file's name, which differs between versions.
  const reload = `${location.href} ${import.meta.url}`;
  if (sessionStorage.getItem(reloadedKey) === reload) return false;
  sessionStorage.setItem(reloadedKey, reload);
  location.reload();
  return true;
}
