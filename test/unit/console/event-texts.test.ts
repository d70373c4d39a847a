import { describe, expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { auditEvents } from "../../../domain/audit/audit.ts";

interface AuditTexts {
  events: Record<string, string>;
  eventNames: Record<string, string>;
}

const texts: Record<string, AuditTexts> = { English: english.audit, German: german.audit };

const placeholders = (text: string): string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!).sort();

describe.each(["English", "German"])("the audit log in %s", (language) => {
  const { events, eventNames } = texts[language]!;

  test.each(auditEvents)("%s has a sentence, and a name for the filter", (event) => {
    // A sentence with a number has a text for each of its plural forms.
    expect(events[event] ?? events[`${event}_other`]).toMatch(/\S/);
    expect(events[`${event}_other`] === undefined).toBe(events[`${event}_one`] === undefined);
    expect(eventNames[event]).toMatch(/\S/);
  });

  test("has sentences with placeholders only for a name, a number and a date", () => {
    const blanks = new Set(Object.values(events).flatMap(placeholders));
    expect([...blanks].sort()).toEqual(["count", "date", "name"]);
  });
});

test("both languages have the same texts", () => {
  const [english, german] = [texts["English"]!.events, texts["German"]!.events];
  expect(Object.keys(german)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(english))
    expect(placeholders(german[key]!), key).toEqual(placeholders(text));
});
