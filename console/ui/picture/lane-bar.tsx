import "./bars.css";
import type { Places } from "./places.ts";

const percent = (place: number): string => `${100 * place}%`;

/** Draws a line with marks. It is decoration next to a text that contains the times. */
export function LaneBar({ from, to, isEnded, up, down }: Places) {
  return (
    <svg className="bars bars-small bars-lane" aria-hidden>
      <line x1={percent(from)} x2={percent(to)} y1="50%" y2="50%" />
      {isEnded && <line x1={percent(to)} x2={percent(to)} y1="25%" y2="75%" />}
      {up.map((place) => (
        <rect key={place} className="bar-up" x={percent(place)} y="10%" width={4} height="40%" />
      ))}
      {down.map((place) => (
        <rect key={place} className="bar-down" x={percent(place)} y="50%" width={4} height="40%" />
      ))}
    </svg>
  );
}
