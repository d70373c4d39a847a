/** The time a number of months later, as Postgres adds them in UTC: on the same day, or on the last day of a month that lacks it. */
export function addMonths(at: Date, months: number): Date {
  const moved = new Date(at);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  if (moved.getUTCDate() !== at.getUTCDate()) moved.setUTCDate(0);
  return moved;
}
