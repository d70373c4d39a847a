interface UsageProps {
  count: number;
  limit: number | null;
  /** Returns the sentence with both numbers. */
  texts: (count: number, limit: number) => string;
}

/** Shows how many of the permitted profiles are in use, in words and as a bar. Without a limit it shows nothing. */
export function Usage({ count, limit, texts }: UsageProps) {
  if (limit === null) return null;
  return (
    <div class="usage">
      <p id="usage">{texts(count, limit)}</p>
      <meter min={0} max={Math.max(limit, 1)} value={Math.min(count, limit)} aria-labelledby="usage"></meter>
    </div>
  );
}
