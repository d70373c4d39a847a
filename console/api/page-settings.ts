/** Returns a setting that the service wrote into the page. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path prefix of the service, without a trailing slash. */
export const base = setting("base");

/** The nonce that the content security policy requires on style elements. */
export const styleNonce = setting("csp-nonce");

export const consolePath = `${base}/console`;
