import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import type { Role } from "../../domain/roles.ts";
import type { Scope } from "../../domain/scopes.ts";
import { send } from "../api/api-client.ts";
import { base } from "../api/page-settings.ts";
import { forgetRecent } from "./recent.ts";

/** Who is signed in to the console, and until when. */
export interface Session {
  user: { userID: string; name: string; email: string };
  realm: { name: string; displayName: string; logoURI: string; timeZone: string };
  roles: readonly Role[];
  /** What the roles let the person do here. */
  scopes: readonly Scope[];
  /** The most that the person may give guest accounts; null: anything. */
  guestBounds: GuestBounds | null;
  /** ISO 8601. */
  expiresAt: string;
  /** Whether staying signed in would move that time. */
  canExtend: boolean;
}

export interface GuestBounds {
  guestDaysMax: number;
  guestLimitMax: number;
}

const SessionContext = createContext<Session | undefined>(undefined);

const sessionKey = ["session"];

/** Shows its children once it is known who is signed in. */
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
    queryFn: async ({ signal }) => (await (await send("/session", { signal })).json()) as Session,
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

/** Keeps the session alive. */
export function useExtendSession(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await send("/session/extend", { method: "POST" });
    await queries.invalidateQueries({ queryKey: sessionKey });
  };
}

/** Signs out of the console and the browser, and leaves. */
export async function signOut(): Promise<void> {
  forgetRecent();
  const response = await send("/sign-out", { method: "POST" });
  const { location: next } = (await response.json()) as { location: string };
  location.assign(next.startsWith("/") && !next.startsWith("//") ? next : `${base}/login/ended`);
}
