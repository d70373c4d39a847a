import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useProgressText } from "../counts.ts";
import type { Job } from "../job.ts";

/**
 * Returns the announcement of a job for screen readers. The announcement changes at the start, at each tenth and in
 * each new state, not at every event.
 */
export function useAnnouncement(job: Job): string {
  const { t } = useTranslation();
  const words = useProgressText();
  const tenth = job.total === 0 ? 0 : Math.floor((job.done / job.total) * 10);
  const mark = `${job.state} ${tenth}`;
  const [announcement, setAnnouncement] = useState("");
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (last.current === mark) return;
    last.current = mark;
    setAnnouncement(`${t(`status.${job.state}`)}: ${words(job)}`);
  }, [mark, job, t, words]);
  return announcement;
}
