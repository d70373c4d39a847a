import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "../ui/icons.tsx";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const settleMs = 300;

/** Shows the search field of a list. Searches once the user stops typing. */
export function ListSearch({
  value,
  label,
  onChange,
}: {
  value: string;
  label: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const ask = useDebouncedCallback(onChange, settleMs);
  useEffect(() => {
    setText(value);
  }, [value]);
  const type = (typed: string) => {
    setText(typed);
    ask(typed.trim());
  };
  return (
    <TextInput
      type="search"
      flex={1}
      miw={200}
      aria-label={label}
      placeholder={label}
      value={text}
      autoComplete="off"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === "" ? null : (
          <CloseButton
            size="sm"
            aria-label={t("list.clear")}
            onClick={() => {
              type("");
            }}
          />
        )
      }
      onChange={(event) => {
        type(event.currentTarget.value);
      }}
    />
  );
}
