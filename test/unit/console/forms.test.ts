import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { draftOf, forgetDrafts, keepDraft, type DraftStore } from "../../../console/session/drafts.ts";
import { inputsWithoutForm, keptForms } from "../../support/browser/console-forms.ts";

const input =
  /<(?:TextInput|Textarea|NumberInput|PasswordInput|Checkbox|Radio\.Group|Select|MultiSelect|Switch|Autocomplete|TagsInput|SegmentedControl|SliderField|Slider|input|textarea|select|form|Form)\b/;
const keeping = /\b(?:useSubmission|useDraft|useKeptState|usePastedRows)\b[^;]*\(/;

const files = readdirSync("console", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tsx"))
  .map((name) => [name, readFileSync(`console/${name}`, "utf8")] as const);
const named = (pattern: RegExp): string[] => files.filter(([, text]) => pattern.test(text)).map(([name]) => name);

test("every file of the console with an input is either a form that keeps its input, or listed with a reason", () => {
  expect(named(input).sort()).toEqual([...Object.keys(keptForms), ...Object.keys(inputsWithoutForm)].sort());
});

test("every form that keeps its input is tested in a browser", () => {
  const keep = named(keeping).filter((name) => !name.startsWith("ui/form/"));
  expect(keep.filter((name) => !(name in keptForms) && inputsWithoutForm[name] === undefined)).toEqual([
    // This page sends the rows that another form keeps.
    "pages/bulk-jobs/input/new-job-page.tsx",
  ]);
  expect(Object.keys(keptForms).filter((name) => !keep.includes(name))).toEqual([]);
});

/** A browser's storage, in memory. */
function storage(): DraftStore & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    key: (index) => [...values.keys()][index] ?? null,
    get length() {
      return values.size;
    },
  };
}

test("a draft is kept for its form and its user, and removed once it is sent", () => {
  const store = storage();
  keepDraft(store, "1", "note of 7", { note: "called" });
  expect(draftOf(store, "1", "note of 7")).toEqual({ note: "called" });
  expect(draftOf(store, "1", "note of 8")).toBeUndefined();
  expect(draftOf(store, "11", "note of 7")).toBeUndefined();
  keepDraft(store, "1", "note of 7", undefined);
  expect(draftOf(store, "1", "note of 7")).toBeUndefined();
  expect(store.values.size).toBe(0);
});

test("the drafts of others are removed when somebody else signs in; the rest of the storage stays", () => {
  const store = storage();
  store.setItem("realmpass-recent", "{}");
  keepDraft(store, "1", "settings", { displayName: "Kept" });
  keepDraft(store, "12", "settings", { displayName: "Of another" });
  forgetDrafts(store, { exceptOf: "1" });
  expect(draftOf(store, "12", "settings")).toBeUndefined();
  expect(draftOf(store, "1", "settings")).toEqual({ displayName: "Kept" });
  forgetDrafts(store);
  expect([...store.values.keys()]).toEqual(["realmpass-recent"]);
});

test("a damaged draft or a full storage affects nothing else", () => {
  const store = storage();
  store.setItem("realmpass-draft 1 settings", "{");
  expect(draftOf(store, "1", "settings")).toBeUndefined();
  const full = {
    ...store,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(() => {
    keepDraft(full, "1", "settings", { displayName: "Kept" });
  }).not.toThrow();
});
