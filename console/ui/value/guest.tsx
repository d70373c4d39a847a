import { useQuery, type QueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../api/api-client.ts";
import { AnchorLink } from "../anchor-link.tsx";

type Guest = Schemas["NamedGuestAccount"];

const guestKey = (id: string) => ["guest-name", id];

/** Caches the guest accounts in a list's response (`include=guests`). */
export function rememberGuests(queries: QueryClient, guests: Readonly<Record<string, Guest>> = {}): void {
  for (const [id, guest] of Object.entries(guests)) queries.setQueryData(guestKey(id), guest);
}

/**
 * Links to a guest account by the name that the API returned with a list, or by its number if this user may not read
 * the name. `inText`: the name is in running text.
 */
export function GuestLink({ id, inText = false }: { id: string; inText?: boolean }) {
  const { t } = useTranslation();
  const { data } = useQuery<Guest>({ queryKey: guestKey(id), enabled: false });
  return (
    <AnchorLink
      to="/guests/$guestAccountId"
      params={{ guestAccountId: id }}
      inherit
      underline={inText ? "always" : "hover"}
      className="bounded"
    >
      {data?.name ?? t("audit.subjects.guest", { id })}
    </AnchorLink>
  );
}
