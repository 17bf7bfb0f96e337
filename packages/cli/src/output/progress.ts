// How far long work is, on the error output: one line that changes on a terminal, a line for each tenth off it.
import { clockOf } from "../clock-of.ts";
import type { CliSeams } from "../seams.ts";
import { ageText } from "./age.ts";

/** Counts the parts of some work. */
export interface Progress {
  step(): void;
  /** Removes the line. */
  end(): void;
}

/** Shorter work needs none. */
const quietMs = 2000;

/** Of so many parts that take about the same time. */
export function createProgress(
  parts: number,
  seams: Pick<CliSeams, "writeError" | "terminal" | "nowMs" | "clock">,
): Progress {
  const clock = clockOf(seams);
  const fromMs = clock.nowMs();
  const isTty = seams.terminal?.isTty === true;
  let done = 0;
  let tenths = 0;
  let isShown = false;
  return {
    step() {
      done++;
      const tookMs = clock.nowMs() - fromMs;
      if (tookMs < quietMs || done === parts) return;
      const text = `${Math.floor((100 * done) / parts)} % of ${parts}, ${ageText((tookMs / done) * (parts - done))} left`;
      if (isTty) {
        isShown = true;
        seams.writeError(`\r\u001b[K${text}`);
      } else if (Math.floor((10 * done) / parts) > tenths) seams.writeError(`${text}\n`);
      tenths = Math.floor((10 * done) / parts);
    },
    end() {
      if (isShown) seams.writeError("\r\u001b[K");
      isShown = false;
    },
  };
}
