import { List, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { KnownDeviceLink } from "../../ui/value/device.tsx";
import { GuestLink } from "../../ui/value/guest.tsx";
import { labelled, PersonLink } from "../../ui/value/person.tsx";
import { idOf, meaningsQuery, meantFilters, type Meaning, type MeantFilter, type Meanings } from "./meanings.ts";

/** A filter whose text the console looked up, with the text's possible meanings. */
export interface MeantText extends Meanings {
  filter: MeantFilter;
  written: string;
}

/** Returns the meanings of the filters' texts that are loaded so far. */
export function useMeantTexts(values: Readonly<Record<string, string>>): MeantText[] {
  const texts = meantFilters.flatMap((filter) => {
    const written = values[filter];
    return written === undefined ? [] : [{ filter, written }];
  });
  const results = useQueries({ queries: texts.map(({ filter, written }) => meaningsQuery(filter, written)) });
  return texts.flatMap((text, at) => {
    const meanings = results[at]?.data;
    return meanings === undefined ? [] : [{ ...text, ...meanings }];
  });
}

/**
 * Shows the meaning of a filter's text, or that the text matches nothing. Shows nothing if the text has several
 * meanings.
 */
export function MeaningNote({ text: { filter, written, found } }: { text: MeantText }) {
  const { t } = useTranslation();
  const [meaning, ...others] = found;
  if (others.length > 0) return null;
  return (
    <Text size="sm" role="status">
      {meaning === undefined ? (
        t(`audit.meant.none.${filter}`, { written })
      ) : (
        <>
          {t(`audit.meant.${filter}`)} <Subject meaning={meaning} />
        </>
      )}
    </Text>
  );
}

/** Lets the user choose one of several meanings. */
export function MeaningChoice({ text: { filter, written, found, isMore } }: { text: MeantText }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" py="md">
      <Text fw={600} role="status" style={{ overflowWrap: "anywhere" }}>
        {t("audit.meant.several", { written })}
      </Text>
      <List listStyleType="none" spacing="xs">
        {found.map(({ subject, name, beside }) => (
          <List.Item key={subject}>
            <AnchorLink to="." search={(search) => ({ ...search, [filter]: subject, page: undefined })} replace>
              {labelled(name, beside)}
            </AnchorLink>
          </List.Item>
        ))}
      </List>
      {isMore && <Text c="dimmed">{t("audit.meant.more")}</Text>}
    </Stack>
  );
}

function Subject({ meaning }: { meaning: Meaning }) {
  const { t } = useTranslation();
  const { subject, name } = meaning;
  const kind = subject.slice(0, subject.indexOf(":"));
  const id = idOf(meaning);
  // The text names several subjects in the API's form.
  if (id.includes(",")) return subject;
  const isNamed = name !== subject && name !== id;
  switch (kind) {
    case "user":
      return <PersonLink userID={id} inText />;
    case "profile":
      return <KnownDeviceLink serial={id} inText />;
    case "guest":
      return isNamed ? (
        <AnchorLink to="/guests/$guestAccountId" params={{ guestAccountId: id }} inherit underline="always">
          {name}
        </AnchorLink>
      ) : (
        <GuestLink id={id} inText />
      );
    case "job":
      return (
        <AnchorLink to="/jobs/$id" params={{ id }} inherit underline="always">
          {isNamed ? name : t("audit.subjects.job")}
        </AnchorLink>
      );
    default:
      return <ApplicationName clientId={id} />;
  }
}
