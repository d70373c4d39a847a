import { ActionIcon, Kbd, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export const globalSearchId = "global-search";

/** Looks for a person or a profile, from anywhere: opens the list that the words belong to. */
export function GlobalSearch() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const search = () => {
    const wanted = text.trim();
    if (wanted === "") return;
    setText("");
    void navigate({ to: "/users", search: { q: wanted } });
  };
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <TextInput
        id={globalSearchId}
        type="search"
        value={text}
        w={{ base: 130, xs: 190, md: 300 }}
        aria-label={t("shell.search")}
        placeholder={t("shell.searchHint")}
        autoComplete="off"
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
        rightSection={
          text === "" ? (
            <Kbd size="xs" visibleFrom="sm">
              /
            </Kbd>
          ) : (
            <ActionIcon type="submit" variant="subtle" aria-label={t("shell.search")}>
              <IconSearch size={16} aria-hidden />
            </ActionIcon>
          )
        }
      />
    </form>
  );
}
