/** The languages that people are spoken to in, on pages and in the console. The first is the default. */
export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** The language of a tag (RFC 5646), by its first subtag. Undefined for a language that is not among them. */
export const languageOfTag = (tag: string | null | undefined): Language | undefined => {
  const primary = tag?.split("-", 1)[0]?.toLowerCase();
  return languages.find((language) => language === primary);
};

/** A choice among the same texts in every language. */
export const textsIn =
  <Texts>(texts: Readonly<Record<Language, Texts>>) =>
  (language: Language): Texts =>
    texts[language];
