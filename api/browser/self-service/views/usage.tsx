interface UsageProps {
  count: number;
  limit: number | null;
  /** How it is said. */
  texts: (count: number, limit: number) => string;
}

/** How many profiles there are of how many, in words and as a bar. Without a limit there is nothing to measure. */
export function Usage({ count, limit, texts }: UsageProps) {
  if (limit === null) return null;
  return (
    <div class="usage">
      <p id="usage">{texts(count, limit)}</p>
      <meter min={0} max={Math.max(limit, 1)} value={Math.min(count, limit)} aria-labelledby="usage"></meter>
    </div>
  );
}
