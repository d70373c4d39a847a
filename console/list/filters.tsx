import { Button, Group, NumberInput, Pill, Popover, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconFilter } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { instantOf, localTime } from "../session/local-time.ts";
import { formatTime } from "../ui/value/time.tsx";

/** One filter of a list. Keys are the API's filter keys. */
export type Filter =
  | { kind: "choice"; key: string; label: string; choices: readonly { value: string; label: string }[] }
  | { kind: "text"; key: string; label: string; hint?: string }
  | { kind: "number"; min: string; max: string; label: string }
  /** Whole days in the realm's zone; the API gets instants. */
  | { kind: "days"; min: string; max: string; label: string };

/** Returns the keys of the API's filters that a filter sets. */
export const keysOf = (filter: Filter): string[] =>
  filter.kind === "choice" || filter.kind === "text" ? [filter.key] : [filter.min, filter.max];

type Values = Readonly<Record<string, string>>;

interface FilterProps {
  filters: readonly Filter[];
  values: Values;
  onChange: (values: Values) => void;
}

/** Shows the button that opens the filters. */
export function FilterMenu({ filters, values, onChange }: FilterProps) {
  const { t } = useTranslation();
  const set = (key: string, value: string | undefined) => {
    const { [key]: _, ...rest } = values;
    onChange(value === undefined || value === "" ? rest : { ...rest, [key]: value });
  };
  return (
    <Popover position="bottom-start" width={320} trapFocus shadow="md" withinPortal>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
          {t("list.filter")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("list.filter")}>
        <Stack gap="sm">
          {filters.map((filter) => (
            <FilterField key={keysOf(filter).join()} filter={filter} values={values} set={set} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function FilterField({
  filter,
  values,
  set,
}: {
  filter: Filter;
  values: Values;
  set: (key: string, value: string | undefined) => void;
}) {
  const { t } = useTranslation();
  switch (filter.kind) {
    case "choice":
      return (
        <Select
          label={filter.label}
          data={[...filter.choices]}
          value={values[filter.key] ?? null}
          clearable
          comboboxProps={{ withinPortal: false }}
          clearButtonProps={{ "aria-label": t("list.clear") }}
          placeholder={t("list.any")}
          onChange={(value) => {
            set(filter.key, value ?? undefined);
          }}
        />
      );
    case "text":
      return (
        <TextInput
          label={filter.label}
          description={filter.hint}
          defaultValue={values[filter.key] ?? ""}
          onBlur={(event) => {
            set(filter.key, event.currentTarget.value.trim());
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") set(filter.key, event.currentTarget.value.trim());
          }}
        />
      );
    case "number":
      return (
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <Text component="legend" size="sm" fw={500}>
            {filter.label}
          </Text>
          <Group grow>
            {([filter.min, filter.max] as const).map((key) => (
              <NumberInput
                key={key}
                aria-label={`${filter.label}, ${t(key === filter.min ? "list.from" : "list.to")}`}
                placeholder={t(key === filter.min ? "list.from" : "list.to")}
                min={0}
                hideControls
                value={values[key] ?? ""}
                onChange={(value) => {
                  set(key, String(value));
                }}
              />
            ))}
          </Group>
        </fieldset>
      );
    case "days":
      return (
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <Text component="legend" size="sm" fw={500}>
            {filter.label}
          </Text>
          <Group grow>
            <TextInput
              type="date"
              aria-label={`${filter.label}, ${t("list.from")}`}
              value={dayOf(values[filter.min])}
              onChange={(event) => {
                set(filter.min, edgeOf(event.currentTarget.value, "start"));
              }}
            />
            <TextInput
              type="date"
              aria-label={`${filter.label}, ${t("list.to")}`}
              value={dayOf(values[filter.max])}
              onChange={(event) => {
                set(filter.max, edgeOf(event.currentTarget.value, "end"));
              }}
            />
          </Group>
        </fieldset>
      );
  }
}

/** Shows the active filters, each with a button that removes the filter. */
export function FilterPills({ filters, values, onChange }: FilterProps) {
  const { t, i18n } = useTranslation();
  const on = filters.filter((filter) => keysOf(filter).some((key) => values[key] !== undefined));
  if (on.length === 0) return null;
  const without = (filter: Filter): Values =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !keysOf(filter).includes(key)));
  return (
    <Pill.Group>
      {on.map((filter) => {
        const text = `${filter.label}: ${wordsOf(filter, values, i18n.language)}`;
        return (
          <Pill
            key={text}
            size="md"
            withRemoveButton
            removeButtonProps={{
              "aria-label": t("list.removeFilter", { filter: text }),
              // Mantine hides this button from screen readers.
              "aria-hidden": false,
              tabIndex: 0,
            }}
            onRemove={() => {
              onChange(without(filter));
            }}
          >
            {text}
          </Pill>
        );
      })}
    </Pill.Group>
  );
}

function wordsOf(filter: Filter, values: Values, language: string): string {
  if (filter.kind === "choice") {
    // A link to the list can set several choices.
    const chosen = values[filter.key]?.split(",") ?? [];
    return chosen.map((value) => filter.choices.find((choice) => choice.value === value)?.label ?? value).join(", ");
  }
  if (filter.kind === "text") return values[filter.key] ?? "";
  const [min, max] = [values[filter.min], values[filter.max]].map((value) =>
    value === undefined || filter.kind === "number" ? value : formatTime(new Date(value), language, { dateOnly: true }),
  );
  return `${min ?? "…"} – ${max ?? "…"}`;
}

/** Returns the day of an instant in the realm's zone, for a date field. */
function dayOf(instant: string | undefined): string {
  if (instant === undefined) return "";
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? "" : localTime(date).slice(0, 10);
}

/** Returns the first or last instant of a day in the realm's zone. */
function edgeOf(day: string, edge: "start" | "end"): string | undefined {
  const at = instantOf(`${day}T${edge === "start" ? "00:00:00" : "23:59:59"}`);
  return at && new Date(at.getTime() + (edge === "start" ? 0 : 999)).toISOString();
}
