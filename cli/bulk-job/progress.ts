import { SingleBar } from "cli-progress";
import type { Terminal } from "../../terminal/streams.ts";
import type { Job } from "./job.ts";
import { barText, progressText } from "./progress-text.ts";

/** Shows the progress of a job on standard error. */
export interface Progress {
  show(job: Job): void;
  /** Stops showing progress. On a terminal, moves the cursor to an empty line. */
  end(): void;
}

const lineEveryMs = 5_000;
const barWidthMax = 30;

/**
 * Creates a bar on a terminal. Elsewhere writes a line every five seconds and with every new state. Writes nothing if
 * `quiet`.
 */
export function createProgress(stderr: Terminal, { quiet }: { quiet: boolean }): Progress {
  if (quiet) return { show: () => undefined, end: () => undefined };
  return stderr.isTTY === true ? bar(stderr) : lines(stderr);
}

function bar(stderr: Terminal): Progress {
  let latest: Job | undefined;
  const drawn = new SingleBar({
    stream: stderr,
    hideCursor: true,
    fps: 10,
    linewrap: false,
    format: () => (latest === undefined ? "" : barLine(latest, stderr.columns)),
  });
  return {
    show(job) {
      if (latest === undefined) drawn.start(job.total, 0);
      latest = job;
      drawn.setTotal(job.total);
      drawn.update(job.done);
    },
    end() {
      if (latest !== undefined) drawn.stop();
    },
  };
}

/**
 * Returns a bar of at most 30 cells, then the progress text; only the text if fewer than 5 cells fit in the terminal's
 * width.
 */
export function barLine(job: Job, given: number | undefined): string {
  // A terminal that does not know its width may report 0.
  const columns = given === undefined || given === 0 ? 80 : given;
  const words = progressText(job);
  const width = Math.min(barWidthMax, columns - words.length - 2);
  return width < 5 ? words.slice(0, columns - 1) : `${barText(job, width)} ${words}`;
}

function lines(stderr: Terminal): Progress {
  let latest: Job | undefined;
  let written = "";
  const write = (): void => {
    if (latest === undefined) return;
    written = latest.state;
    stderr.write(`${progressText(latest)}\n`);
  };
  const timer = setInterval(write, lineEveryMs);
  return {
    show(job) {
      latest = job;
      if (job.state !== written) write();
    },
    end() {
      clearInterval(timer);
    },
  };
}
