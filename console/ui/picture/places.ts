/** Places on a lane, from 0 at its beginning to 1 at its end. */
export interface Places {
  from: number;
  to: number;
  /** Whether the profile has ended: its line ends at `to`. */
  isEnded: boolean;
  /** The marks above and below the line. */
  up: readonly number[];
  down: readonly number[];
}
