import { Group, Loader, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "../ui/icons.tsx";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { consolePath } from "../api/page-settings.ts";
import { remember } from "../session/recent.ts";
import { useSession } from "../session/session.tsx";
import { ErrorNotice } from "../ui/notice/error-notice.tsx";
import { StatusBadge } from "../ui/value/status-badge.tsx";
import { intend } from "../ui/intent.ts";
import { changePalette, closePalette, type OpenPalette } from "../ui/palette-state.ts";
import { HitActions } from "./hit-actions.tsx";
import { paletteGroups, type PaletteGroup, type PaletteOption } from "./palette-option.ts";
import { usePaletteOptions } from "./palette-options.ts";

const settleMs = 150;
const searchLengthMax = 256;

/** Shows the palette, which finds people, profiles, guest accounts, applications, bulk jobs, pages and actions. */
export default function PaletteDialog({ opened, text, entered }: OpenPalette & { opened: boolean }) {
  const { t } = useTranslation();
  const onPhone = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={opened}
      // `Palette` returns the focus, unless the chosen page takes it.
      returnFocus={false}
      onClose={closePalette}
      title={t("palette.title")}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
      fullScreen={onPhone}
      size="lg"
      yOffset="8vh"
    >
      <Search text={text} entered={opened ? entered : undefined} />
    </Modal>
  );
}

/**
 * Shows a combobox (WAI-ARIA 1.2): the focus stays in the field, and the arrow keys move through the list below the
 * field.
 */
function Search({ text, entered }: OpenPalette) {
  const { t } = useTranslation();
  const router = useRouter();
  const { user } = useSession();
  const wanted = text.trim();
  const [settled] = useDebouncedValue(wanted, settleMs);
  const { options, counts, isPending, isPartial, error } = usePaletteOptions(wanted, settled);
  const [chosen, setChosen] = useState<string>();
  const id = useId();
  const index = Math.max(
    options.findIndex(({ key }) => key === chosen),
    0,
  );
  const current = options[index];
  const idOf = (at: number) => `${id}-${at}`;

  const open = (option: PaletteOption, inNewTab: boolean) => {
    if (option.isList !== true) remember(user.userID, option);
    const href = `${consolePath}${option.path}`;
    if (inNewTab) {
      window.open(href, "_blank", "noopener");
      return;
    }
    closePalette();
    router.history.push(href);
  };

  // If the user pasted a text and pressed Enter immediately, opens the first result for that text.
  useEffect(() => {
    if (entered === undefined || isPending) return;
    changePalette({ entered: undefined });
    const [first] = options;
    if (first !== undefined) open(first, entered.inNewTab);
  });

  const labelOf = (group: PaletteGroup): string => {
    const label = t(`palette.groups.${group}`);
    const formatted = counts[group];
    return formatted === undefined ? label : t("palette.groupCount", { label, formatted });
  };
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current?.key]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1 + options.length }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      setChosen(options[target % Math.max(options.length, 1)]?.key);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const inNewTab = event.metaKey || event.ctrlKey;
      if (isPending) changePalette({ entered: { inNewTab } });
      else if (current !== undefined) open(current, inNewTab);
    }
  };

  return (
    // Leaves space for the focus ring, which the header would cover.
    <Stack gap="sm" pt={5}>
      <TextInput
        value={text}
        data-autofocus
        maxLength={searchLengthMax}
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-label={t("shell.search")}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : idOf(index)}
        placeholder={t("palette.hint")}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={isPending ? <Loader size="xs" aria-hidden /> : null}
        onChange={(event) => {
          changePalette({ text: event.currentTarget.value });
          setChosen(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <Text size="sm" c="dimmed" role="status">
        {isPending
          ? t("palette.searching")
          : t("palette.count", { count: options.filter(({ isList }) => isList !== true).length })}
        {isPartial && ` ${t("palette.partial")}`}
      </Text>
      {error !== null && <ErrorNotice error={error} />}
      {current !== undefined && !isPending && (
        <HitActions
          option={current}
          onAct={(deed) => {
            intend({ path: current.path, deed });
            open(current, false);
          }}
        />
      )}
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t("palette.results")} className="palette-list">
        {paletteGroups.map((group) => (
          <Section key={group} label={labelOf(group)} options={options} group={group}>
            {(option, at) => (
              <Line
                key={option.key}
                id={idOf(at)}
                option={option}
                isCurrent={at === index}
                onOpen={(inNewTab) => {
                  open(option, inNewTab);
                }}
              />
            )}
          </Section>
        ))}
      </div>
    </Stack>
  );
}

/** Shows the options of one group under the group's name; shows nothing if there are no options. */
function Section({
  label,
  options,
  group,
  children,
}: {
  label: string;
  options: readonly PaletteOption[];
  group: PaletteOption["group"];
  children: (option: PaletteOption, at: number) => ReactNode;
}) {
  const id = useId();
  const lines = options.flatMap((option, at) => (option.group === group ? [children(option, at)] : []));
  if (lines.length === 0) return null;
  return (
    <div role="group" aria-labelledby={id}>
      <Text id={id} role="presentation" size="xs" fw={600} c="dimmed" px="sm" pt="xs" pb={4}>
        {label}
      </Text>
      {lines}
    </div>
  );
}

/** Shows an option as a link, which the user can open in a new tab; the search field handles the keys. */
function Line({
  id,
  option: { label, detail = "", status, path },
  isCurrent,
  onOpen,
}: {
  id: string;
  option: PaletteOption;
  isCurrent: boolean;
  onOpen: (inNewTab: boolean) => void;
}) {
  return (
    <a
      id={id}
      role="option"
      aria-selected={isCurrent}
      tabIndex={-1}
      href={`${consolePath}${path}`}
      className="palette-line"
      onClick={(event: MouseEvent) => {
        event.preventDefault();
        onOpen(event.metaKey || event.ctrlKey);
      }}
    >
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {label}
          </Text>
          {detail !== "" && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {detail}
            </Text>
          )}
        </div>
        {status !== undefined && <StatusBadge status={status} />}
      </Group>
    </a>
  );
}
