import i18next from "i18next";
import { notifyDone, notifyFailed } from "../../../ui/notice/notify.tsx";
import { formatNumber } from "../../../ui/value/time.tsx";
import type { Job } from "../job.ts";

/**
 * Notifies the user that a job has ended: on the page, and by a browser notification if the user allowed this and the
 * page is hidden.
 */
export function notifyFinished(job: Job): void {
  const text = i18next.t(`jobs.end.${job.state}`, {
    kind: i18next.t(`jobs.kinds.${job.kind}`),
    changed: formatNumber(job.changed, i18next.language),
    failed: formatNumber(job.failed, i18next.language),
  });
  if (job.state === "failed") notifyFailed(text);
  else notifyDone(text);
  if (document.hidden && notificationsAllowed()) {
    const notification = new Notification(text, { tag: job.id });
    notification.onclick = () => {
      window.focus();
    };
  }
}

const notificationsAllowed = (): boolean => "Notification" in window && Notification.permission === "granted";
