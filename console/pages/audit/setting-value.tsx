import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import { useWords } from "../../texts/words.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { GuestLink } from "../../ui/value/guest.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { Time } from "../../ui/value/time.tsx";
import type { Job } from "../bulk-jobs/job.ts";
import { useMatchingWords } from "../bulk-jobs/matching-words.ts";

/** The text keys that contain the words for a property's codes. */
const wordsOf: Readonly<Record<string, string>> = {
  kind: "jobs.kinds",
  state: "status",
  method: "audit.values.methods",
  change: "audit.values.changes",
  list: "audit.lists",
};

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/;

export function SettingValue({ name, value }: { name: string; value: unknown }) {
  const { t } = useTranslation();
  const matchingWords = useMatchingWords();
  const { deviceTypes } = useWords();
  if (value === undefined || value === null || value === "")
    return (
      <Text span inherit c="dimmed">
        {t("audit.entry.nothing")}
      </Text>
    );
  if ((name === "job" || name === "undoOf") && typeof value === "string")
    return (
      <AnchorLink to="/jobs/$id" params={{ id: value }} inherit>
        {value}
      </AnchorLink>
    );
  if (
    (name === "guestAccount" || name === "guestAccountID") &&
    (typeof value === "number" || typeof value === "string")
  )
    return <GuestLink id={String(value)} />;
  if (name === "serial" && typeof value === "string") return <SerialLink serial={value} />;
  if (name === "serials" && Array.isArray(value))
    return value.map((serial) => (
      <Text key={String(serial)} span inherit display="block">
        <SerialLink serial={String(serial)} />
      </Text>
    ));
  if (typeof value === "boolean") return t(`audit.values.${String(value)}`);
  if (typeof value === "string") {
    if (instant.test(value)) return <Time at={value} />;
    if (name === "deviceType") return Object.hasOwn(deviceTypes, value) ? deviceTypes[value as DeviceType].name : value;
    const words = wordsOf[name];
    return words === undefined ? value : t(`${words}.${value}`, { defaultValue: value });
  }
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  if (name === "matching") return matchingWords(value as NonNullable<Job["matching"]>);
  if (typeof value !== "number") return JSON.stringify(value);
  return name === "reason" ? t(`profiles.reasons.${value}`, { defaultValue: String(value) }) : value;
}

const SerialLink = ({ serial }: { serial: string }) => (
  <AnchorLink to="/profiles" search={{ open: serial }} inherit>
    <Serial serial={serial} />
  </AnchorLink>
);
