import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { foldText, wordsOf } from "../../domain/people/search-text.ts";
import type { Schemas } from "../api/api-client.ts";
import { isSearchable, searchEverything } from "../api/search-everything.ts";
import { personName } from "../ui/value/person.tsx";
import { formatTime } from "../ui/value/time.tsx";
import { recentOf } from "../session/recent.ts";
import { useMay } from "../session/may.ts";
import { useSession } from "../session/session.tsx";
import { places } from "./navigation.ts";
import type { PaletteOption } from "./palette-option.ts";

type Result = Schemas["SearchResult"];

/** Actions that the user can start from any page. */
const actions = [
  { label: "jobs.new.onboarding", path: "/jobs/new/onboarding", deed: "newJob" },
  { label: "jobs.new.offboarding", path: "/jobs/new/offboarding", deed: "newJob" },
  { label: "jobs.new.reactivation", path: "/jobs/new/reactivation", deed: "newJob" },
  { label: "guests.create", path: "/guests?new=1", deed: "createGuest" },
  { label: "infrastructure.create", path: "/infrastructure?new=1", deed: "createInfrastructure" },
  { label: "applications.register", path: "/applications/new", deed: "registration" },
] as const;

/** The sections of the settings page with their anchors, in the page's order. */
const settingsSections = [
  { id: "looks", label: "settings.cards.looks", deed: "settings" },
  { id: "help", label: "settings.cards.help", deed: "settings" },
  { id: "profiles", label: "settings.cards.profiles", deed: "settings" },
  { id: "wifi", label: "settings.cards.wifi", deed: "settings" },
  { id: "guests", label: "settings.cards.guests", deed: "settings" },
  { id: "time", label: "settings.cards.time", deed: "settings" },
  { id: "servers", label: "settings.cards.servers", deed: "settings" },
  { id: "trust", label: "settings.cards.trust", deed: "settings" },
  { id: "logo", label: "settings.logo.title", deed: "settings" },
  { id: "signIn", label: "settings.signIn.title", deed: "settings" },
  { id: "apps", label: "settings.apps.title", deed: "settings" },
  { id: "directory", label: "settings.directory.title", deed: "directory" },
  { id: "wired", label: "settings.wired.title", deed: "settings" },
  { id: "roles", label: "roles.title", deed: "settings" },
  { id: "forgetting", label: "settings.forgetting.title", deed: "settings" },
] as const;

export interface PaletteOptions {
  options: PaletteOption[];
  /** The number of results that the service found in each group. */
  counts: Partial<Record<PaletteOption["group"], string>>;
  /** The response for this text has not arrived yet. */
  isPending: boolean;
  /** The service could not search some groups completely in time. */
  isPartial: boolean;
  error: Error | null;
}

/**
 * Returns the options for a text. `settled` is the text after a pause in typing: the console sends only `settled` to
 * the service.
 */
export function usePaletteOptions(text: string, settled: string): PaletteOptions {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const may = useMay();
  const [recent] = useState(() => recentOf(user.userID).map((one): PaletteOption => ({ ...one, group: "recent" })));
  const { data, error, isPlaceholderData } = useQuery({
    ...searchEverything(settled),
    placeholderData: keepPreviousData,
  });
  const isLong = isSearchable(text);
  const isPending = isLong && error === null && (text !== settled || data === undefined || isPlaceholderData);

  const options = useMemo(() => {
    const words = wordsOf(text).map(foldText);
    const has = ({ label, detail = "" }: Pick<PaletteOption, "label" | "detail">): boolean =>
      words.every((word) => foldText(`${label} ${detail}`).includes(word));
    const own: PaletteOption[] = [
      ...places
        .filter(({ name }) => may(name))
        .map(({ name, to }): PaletteOption => ({ key: to, group: "pages", label: t(`nav.${name}`), path: to })),
      ...(words.length > 0 ? settingsSections : [])
        .filter(({ deed }) => may("settings") && may(deed))
        .map(({ id, label }): PaletteOption => {
          const path = `/settings#${id}`;
          return { key: path, group: "pages", label: t("palette.settings", { section: t(label) }), path };
        }),
      ...actions
        .filter(({ deed }) => may(deed))
        .map(({ label, path }): PaletteOption => ({ key: path, group: "actions", label: t(label), path })),
    ].filter(has);
    // Enter must not open a result for an earlier text.
    const found =
      isLong && !isPending && data !== undefined ? optionsOf(data, { t, language: i18n.language, text }) : [];
    const isExact = ({ label, detail = "" }: Pick<PaletteOption, "label" | "detail">): boolean =>
      [label, ...detail.split(detailSeparator)].some((part) => foldText(part) === foldText(text));
    // A recent entry that matches only in part must not come before an exact match.
    const again = (found.some(isExact) ? recent.filter(isExact) : recent.filter(has)).map(
      // Replaces the entry with the service's current version, which has the state and actions.
      (one): PaletteOption => ({ ...one, ...found.find(({ key }) => key === one.key), group: "recent" }),
    );
    const all = [...again, ...found, ...own];
    return [...new Map(all.toReversed().map((option) => [option.key, option])).values()].toReversed();
  }, [data, i18n.language, isLong, isPending, may, recent, t, text]);

  return {
    options,
    counts: isLong && !isPending && data !== undefined ? countsOf(data) : {},
    isPending,
    isPartial: !isPending && isLong && (data?.partial.length ?? 0) > 0,
    error: isLong ? error : null,
  };
}

type Translate = ReturnType<typeof useTranslation>["t"];

/** Converts the service's results to lines. */
function optionsOf(
  { groups, people }: Result,
  { t, language, text }: { t: Translate; language: string; text: string },
): PaletteOption[] {
  return groups.flatMap((group): PaletteOption[] => {
    switch (group.kind) {
      case "user":
        return [
          ...group.items.map(({ userID, pairwiseID, email, displayName, state }): PaletteOption => {
            const path = `/users/${userID}`;
            const label =
              pairwiseID === ""
                ? t("users.forgotten", { userID })
                : personName({ userID, pairwiseID, email, displayName });
            const detail = [pairwiseID, email].filter((part) => part !== "" && part !== label).join(detailSeparator);
            return { key: path, group: "users", label, detail, status: state, path, hit: "user" };
          }),
          ...allOf("users", group, { t, text }),
        ];
      case "profile":
        return [
          ...group.items.map((profile): PaletteOption => {
            const { serial, name, owner, state, kind } = profile;
            const person = owner === null ? undefined : people[owner];
            const named = person === undefined ? [] : [personName({ ...person, userID: owner ?? "" })];
            const detail = [...named, `…${serial.slice(-serialTail)}`].join(detailSeparator);
            return {
              key: `profile ${serial}`,
              group: "profiles",
              label: name,
              detail,
              status: state,
              path: pathOf(profile),
              ...(kind === "user" && { hit: "profile" }),
            };
          }),
          ...allOf("profiles", { items: group.items.filter(({ kind }) => kind === "user") }, { t, text }),
          ...allOf(
            "profiles",
            { items: group.items.filter(({ kind }) => kind === "guest") },
            { t, text, list: "guests" },
          ),
          ...allOf(
            "profiles",
            { items: group.items.filter(({ kind }) => kind === "infrastructure") },
            { t, text, list: "infrastructure" },
          ),
        ];
      case "guestAccount":
        return [
          ...group.items.map(({ id, name, state }): PaletteOption => {
            const path = `/guests/${id}`;
            return { key: path, group: "guests", label: name, status: state, path };
          }),
          ...allOf("guests", group, { t, text }),
        ];
      case "application":
        return [
          ...group.items.map(({ client_id, name, active }): PaletteOption => {
            const path = `/applications/${client_id}`;
            return { key: path, group: "applications", label: name, status: active ? "active" : "off", path };
          }),
          ...allOf("applications", group, { t, text }),
        ];
      case "job":
        return [
          ...group.items.map(({ id, kind, name, state, createdAt }): PaletteOption => {
            const path = `/jobs/${id}`;
            const detail = [t(`jobs.kinds.${kind}`), formatTime(new Date(createdAt), language)].join(detailSeparator);
            return { key: path, group: "jobs", label: name ?? id, detail, status: state, path };
          }),
          ...allOf("jobs", group, { t, text }),
        ];
    }
  });
}

const serialTail = 8;
const detailSeparator = " · ";

type ListName = "users" | "profiles" | "guests" | "infrastructure" | "applications" | "jobs";

/** Returns the line that opens the list of all results of a group; no line if there are no results. */
function allOf(
  group: PaletteOption["group"] & ListName,
  { items }: { items: readonly unknown[] },
  { t, text, list = group }: { t: Translate; text: string; list?: ListName },
): PaletteOption[] {
  if (items.length === 0) return [];
  const path = `/${list}?${new URLSearchParams({ q: text }).toString()}`;
  return [{ key: `${group} ${path}`, group, label: t(`palette.showAll.${list}`), path, isList: true }];
}

const groupNames = {
  user: "users",
  profile: "profiles",
  guestAccount: "guests",
  application: "applications",
  job: "jobs",
} as const;

/**
 * Returns the number of results that the service found in each group; `200+` if the service stopped counting at 200.
 */
const countsOf = ({ groups }: Result): Partial<Record<PaletteOption["group"], string>> =>
  Object.fromEntries(
    groups.map(({ kind, total, isTotalExact }) => [groupNames[kind], isTotalExact ? String(total) : `${total}+`]),
  );

function pathOf({ kind, serial, guestAccountID }: Schemas["FoundProfile"]): string {
  if (kind === "infrastructure") return `/infrastructure?open=${serial}`;
  return guestAccountID === null ? `/profiles?open=${serial}` : `/guests/${guestAccountID}?open=${serial}`;
}
