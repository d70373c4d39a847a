import type { ApiAnswer, TestApi } from "../service/api.ts";
import { postForm } from "./authorization.ts";

/** A useragent as an administrator registers it. */
export const useragent = {
  type: "useragent",
  name: "Wi-Fi helper",
  clientURI: "https://client.example",
  redirectURI: "https://client.example/back",
  scopes: ["openid", "offline_access", "profile.read"],
};

/** A service as an administrator registers it. */
export const service = {
  type: "service",
  name: "nightly import",
  clientURI: "https://import.example",
  scopes: ["user.read", "profile.read"],
};

/** Requests a token with this secret. */
export const tokenWith = (
  { url }: { url: string },
  { client_id, client_secret }: { client_id: string; client_secret: string },
): Promise<ApiAnswer> => postForm(`${url}/oauth/token`, { grant_type: "client_credentials", client_id, client_secret });

/** Returns the status of a call that needs `user.read`, which shows whether a token is accepted. */
export const statusWith = async (api: Pick<TestApi, "as">, token: string): Promise<number> =>
  (await api.as.token(token).get("/api/user?limit=1")).status;
