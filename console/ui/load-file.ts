/** The file of a page could not be fetched. */
export class FileNotLoaded extends Error {
  override readonly name = "FileNotLoaded";
}

/** Loads the file of a page. Throws {@link FileNotLoaded}, which its page tells the reader. */
export const loadPage = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch((error: unknown) => {
    throw new FileNotLoaded("the file of a page could not be fetched", { cause: error });
  });

const triedAgainMs = 5_000;

/**
 * Loads the file of a part of a page. Without a connection it waits for one. A file that the service no longer has
 * belongs to an older version: then the console is loaded again.
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

/** Until the browser says that it is online again, or a while has passed. */
const nextChance = (): Promise<unknown> =>
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

/** Whether this page would come if it were loaded now. Otherwise loading it would lead to the browser's error page. */
export async function isServiceReachable(): Promise<boolean> {
  try {
    return (await fetch(location.href, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

const reloadedKey = "realmpass-reloaded";

/** Loads the console again for a newer version; false when that was done before, lest it never end. */
export function reloadOnce(): boolean {
  // The name of this file tells one version from another.
  const reload = `${location.href} ${import.meta.url}`;
  if (sessionStorage.getItem(reloadedKey) === reload) return false;
  sessionStorage.setItem(reloadedKey, reload);
  location.reload();
  return true;
}
