export interface AuthToken {
  sub?: string;
  [claim: string]: unknown;
}

/** As much of @auth/core's configuration as a test needs. */
export interface AuthConfig {
  basePath: string;
  secret: string;
  trustHost: boolean;
  providers: object[];
  callbacks: {
    jwt: (parameters: { token: AuthToken; account?: object | null }) => AuthToken;
    session: (parameters: { session: object; token: AuthToken }) => object;
  };
}

export function Auth(request: Request, config: AuthConfig): Promise<Response>;
