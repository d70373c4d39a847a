import { useTranslation } from "react-i18next";
import { ApiError } from "../../../api/api-client.ts";
import { UnreadableWorkbook } from "./files/read-xlsx.ts";
import { useErrorMessage } from "../../../ui/notice/error-notice.tsx";

/** The service's messages about an unusable file, with the keys of the page's texts for them. */
const descriptions: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/^The file is not UTF-8/, "notUtf8"],
  [/^The file is empty/, "empty"],
  [/^The file has no rows/, "noRows"],
  [/^A quotation mark that opens in line (?<place>\d+) is not closed/, "openQuote"],
  [/^The row that ends around line (?<place>\d+) is longer/, "longRow"],
  [/^Row (?<place>\d+) is longer/, "longRow"],
  [/is not valid JSON/, "notJson"],
  [/^The body must be a JSON object/, "notUsers"],
  [/^users must be an array/, "notUsers"],
];

const reasons: Readonly<Record<string, string>> = {
  "is no column that is known": "unknownColumn",
  "is missing": "missingColumn",
  "occurs twice": "columnTwice",
};

/**
 * Returns a function that explains why a file or pasted rows were refused: in the reader's language, or in the
 * service's words if the page has no text for the reason.
 */
export function useRefusedFile(): (error: Error, of: { pasted: boolean }) => string {
  const { t } = useTranslation();
  const message = useErrorMessage();
  return (error, { pasted }) => {
    const context = pasted ? { context: "pasted" } : {};
    if (error instanceof UnreadableWorkbook) return t(`jobs.refused.workbook.${error.reason}`);
    if (!(error instanceof ApiError)) return message(error);
    if (error.code === "payload_too_large") return t("jobs.refused.tooLarge", context);
    if (error.code === "too_many_rows_waiting") return t("jobs.refused.tooManyWaiting");
    if (error.code !== "invalid_request" && error.code !== "unknown_columns") return message(error);
    const sentences = error.fields.flatMap(({ path, reason }) => {
      const key = reasons[reason];
      const column = path.replaceAll(" or ", t("jobs.refused.or"));
      return key === undefined ? [] : [t(`jobs.refused.${key}`, { column })];
    });
    if (sentences.length > 0) return sentences.join(" ");
    for (const [pattern, key] of descriptions) {
      const found = pattern.exec(error.message);
      if (found !== null) return t(`jobs.refused.${key}`, { ...context, place: found.groups?.["place"] });
    }
    return error.message;
  };
}
