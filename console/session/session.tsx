import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import type { Role } from "../../domain/people/roles.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import { send } from "../api/api-client.ts";
import { setZone } from "./local-time.ts";
import { base } from "../api/page-settings.ts";
import { forgetDrafts } from "./drafts.ts";
import { forgetRecent } from "./recent.ts";

/** The signed-in user and the end of the session. */
export interface Session {
  user: { userID: string; name: string; email: string };
  realm: { name: string; displayName: string; logoURI: string; timeZone: string };
  roles: readonly Role[];
  /** The scopes that the user's roles grant in the console. */
  scopes: readonly Scope[];
  /** The user's limits for guest accounts; null if there are no limits. */
  guestBounds: GuestBounds | null;
  /** ISO 8601. */
  expiresAt: string;
  /** Whether an extension would move `expiresAt`. */
  canExtend: boolean;
}

export interface GuestBounds {
  guestDaysMax: number;
  guestLimitMax: number;
}

const SessionContext = createContext<Session | undefined>(undefined);

const sessionKey = ["session"];

/** Shows its children once the session is loaded. */
export function SessionProvider({
  children,
  loading,
  failed,
}: {
  children: ReactNode;
  loading: ReactNode;
  failed: (error: Error, again: () => void) => ReactNode;
}) {
  const { data, error, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const session = (await (await send("/session", { signal })).json()) as Session;
      setZone(session.realm.timeZone);
      forgetDrafts(sessionStorage, { exceptOf: session.user.userID });
      return session;
    },
    refetchInterval: 60_000,
    retry: 1,
  });
  if (data === undefined) return error === null ? loading : failed(error, () => void refetch());
  return <SessionContext value={data}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error("outside of the session");
  return session;
}

/** Returns a function that extends the session. */
export function useExtendSession(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await send("/session/extend", { method: "POST" });
    await queries.invalidateQueries({ queryKey: sessionKey });
  };
}

/** Signs out of the console and the browser session, and leaves the page. */
export async function signOut(): Promise<void> {
  forgetRecent();
  forgetDrafts(sessionStorage);
  const response = await send("/sign-out", { method: "POST" });
  const { location: next } = (await response.json()) as { location: string };
  location.assign(next.startsWith("/") && !next.startsWith("//") ? next : `${base}/login/ended`);
}
