/** Reads a setting that the service wrote into the page. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path below which the service is reached, without a trailing slash. */
export const base = setting("base");

/** The nonce with which the content security policy admits style elements. */
export const styleNonce = setting("csp-nonce");

export const consolePath = `${base}/console`;
