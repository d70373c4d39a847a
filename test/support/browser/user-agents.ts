const webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const chromium = "AppleWebKit/537.36 (KHTML, like Gecko)";

/** The User-Agent headers of current browsers. */
export const userAgents = {
  iPhone: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webKit} Version/18.5 Mobile/15E148 Safari/604.1`,
  iPad: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/18.5 Safari/605.1.15`,
  oldIPad: `Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) ${webKit} Version/12.1.2 Mobile/15E148 Safari/604.1`,
  chromeOnIPhone: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webKit} CriOS/138.0.7204.53 Mobile/15E148 Safari/604.1`,
  mac: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chromium} Chrome/138.0.0.0 Safari/537.36`,
  firefoxOnMac: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0",
  android: `Mozilla/5.0 (Linux; Android 10; K) ${chromium} Chrome/138.0.0.0 Mobile Safari/537.36`,
  windows: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Chrome/138.0.0.0 Safari/537.36`,
  linux: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  chromebook: `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chromium} Chrome/138.0.0.0 Safari/537.36`,
  /** The window that iOS opens for a network's sign-in page. */
  captiveOnIPhone: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webKit} Mobile/15E148`,
  captiveProbe: "CaptiveNetworkSupport-481.0.1 wispr",
  webViewOnAndroid: `Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A; wv) ${chromium} Version/4.0 Chrome/126.0 Mobile Safari/537.36`,
} as const;
