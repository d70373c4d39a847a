import { useTranslation } from "react-i18next";

const units = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
] as const;

/** Returns a function that formats a duration in its largest unit: “3 minutes”. */
export function useSpan(): (seconds: number) => string {
  const { t } = useTranslation();
  return (seconds) => {
    const [unit, size] = units.find(([, length]) => seconds >= length) ?? units[3];
    return t(`dashboard.span.${unit}`, { count: Math.round(seconds / size) });
  };
}
