import { Alert, Button, Group, List, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconAlertTriangle } from "../icons.tsx";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** Shows the values that another user changed while a form was open, and asks which values to keep. */
export function ChangedMeanwhile({
  changes,
  onTake,
  onKeep,
}: {
  /** The changed values, by label. */
  changes: readonly (readonly [label: string, value: string])[];
  onTake: () => void;
  onKeep: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Meanwhile news={changes}>
      <Text size="sm">{t("forms.meanwhile.text")}</Text>
      <List size="sm" my="xs">
        {changes.map(([label, value]) => (
          <List.Item key={label} style={{ overflowWrap: "anywhere" }}>
            {label}: {value}
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTake}>
          {t("forms.meanwhile.take")}
        </Button>
        <Button size="xs" variant="default" onClick={onKeep}>
          {t("forms.meanwhile.keep")}
        </Button>
      </Group>
    </Meanwhile>
  );
}

/** Explains in a small dialog that another user has changed its values, and that it shows the new ones. */
export function FreshValues({ now }: { now: unknown }) {
  const { t } = useTranslation();
  return (
    <Meanwhile news={now}>
      <Text size="sm">{t("forms.meanwhile.fresh")}</Text>
    </Meanwhile>
  );
}

function Meanwhile({ news, children }: { news: unknown; children: ReactNode }) {
  const { t } = useTranslation();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    notice.current?.focus();
  }, [news]);
  return (
    <Alert
      ref={notice}
      tabIndex={-1}
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("forms.meanwhile.title")}
      role="alert"
    >
      {children}
    </Alert>
  );
}

/** Keeps a form together with the version that its changes are based on. */
export function useMeanwhile<Values extends object>(form: UseFormReturnType<Values>, opened: Values) {
  const [read, setRead] = useState(opened);
  const [outdated, setOutdated] = useState<Values>();
  const begin = (now: Values, kept: Partial<Values>) => {
    setRead(now);
    form.setInitialValues(now);
    form.resetDirty(now);
    form.setValues({ ...now, ...kept });
  };
  return {
    /** The version that the form's changes are based on, and the version before another user's change. */
    read,
    outdated,
    /** Call when the form's values have been saved. */
    saved: (now: Values): void => {
      begin(now, {});
      setOutdated(undefined);
    },
    /** Call when another user has changed the values: edited fields keep the input, all others show the new values. */
    moved: (now: Values): void => {
      begin(now, differing(read, form.getValues()));
      setOutdated(read);
    },
    discard: (): void => {
      form.reset();
      setOutdated(undefined);
    },
  };
}

/** Returns the values of `after` that differ from `before`. */
function differing<Values extends object>(before: Values, after: Values): Partial<Values> {
  const names = Object.keys(after) as (keyof Values)[];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  ) as Partial<Values>;
}
