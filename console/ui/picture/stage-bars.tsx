import "./bars.css";

/**
 * Draws thin bars below one another, each a part of the bar above. They are decoration next to a text that contains the
 * numbers.
 */
export function StageBars({ values, most }: { values: readonly number[]; most: number }) {
  const step = 10;
  return (
    <svg
      className="bars bars-small"
      viewBox={`0 0 ${Math.max(1, most)} ${values.length * step}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {values.map((value, index) => (
        // The values have no names, and their order never changes.
        <rect key={index} className="bar-up" x={0} y={index * step + 1} width={value} height={step - 2} />
      ))}
    </svg>
  );
}
