/** Places on a lane, from 0 at its beginning to 1 at its end. */
export interface Places {
  from: number;
  to: number;
  /** The line ends at `to`; otherwise the profile is active. */
  isEnded: boolean;
  /** Marks above the line, and below it. */
  up: readonly number[];
  down: readonly number[];
}
