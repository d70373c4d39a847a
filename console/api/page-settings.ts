/** What the service wrote into the page that it sent. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path that the service is reached below, without a trailing slash. */
export const base = setting("base");

/** What style elements carry to be let in by the content security policy. */
export const styleNonce = setting("csp-nonce");

/** The path of the console. */
export const consolePath = `${base}/console`;
