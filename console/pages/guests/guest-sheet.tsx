import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { useSession } from "../../session/session.tsx";
import { formatTime } from "../../ui/time.tsx";
import type { GuestAccount } from "./guest-accounts.ts";
import "./guest-sheet.css";

/** The link on paper, in A5. It is only there for the printer. */
export function GuestSheet({ account, link, children }: { account: GuestAccount; link: string; children: ReactNode }) {
  const { t, i18n } = useTranslation();
  const { realm } = useSession();
  return createPortal(
    <div className="guest-sheet" aria-hidden>
      <div>{realm.displayName}</div>
      <h1>{account.name}</h1>
      {children}
      <p className="link">{link}</p>
      <p>{t("guests.sheet.until", { date: formatTime(new Date(account.expirationDate), i18n.language) })}</p>
      <ol>
        <li>{t("guests.sheet.scan")}</li>
        <li>{t("guests.sheet.choose")}</li>
        <li>{t("guests.sheet.open")}</li>
      </ol>
    </div>,
    document.body,
  );
}
