// How far long work is, on the error output: one line that changes on a terminal, a line for each tenth off it.
import { ageText } from "@plimsoll/core/internal/values";
import { type CliSeams, clockOf } from "../seams.ts";

export type ProgressSeams = Pick<CliSeams, "writeError" | "terminal" | "nowMs" | "clock">;

/** Shorter work needs none. */
const quietMs = 2000;

/** Counts the parts of some work. For a number of parts that take about the same time; `unit` follows the number. */
export function createProgress(parts: number, seams: ProgressSeams, unit?: string) {
  const clock = clockOf(seams);
  const fromMs = clock.nowMs();
  const isTty = (seams.terminal?.isErrorTty ?? seams.terminal?.isTty) === true;
  let [done, all, tenths, isShown] = [0, parts, 0, false];
  const show = (): void => {
    const tookMs = clock.nowMs() - fromMs;
    if (tookMs < quietMs || done === 0 || done >= all) return;
    const what = `${all}${unit === undefined ? "" : ` ${unit}`}`;
    const text = `${Math.floor((100 * done) / all)} % of ${what}, ${ageText((tookMs / done) * (all - done))} left`;
    const reached = Math.floor((10 * done) / all);
    if (isTty) {
      isShown = true;
      seams.writeError(`\r\u001b[K${text}`);
    } else if (reached > tenths) seams.writeError(`${text}\n`);
    // What is expected may grow, and no tenth is said twice.
    tenths = Math.max(tenths, reached);
  };
  return {
    /** One more part is done. */
    step(): void {
      done++;
      show();
    },
    /** How many are done, and how many are expected now. */
    to(now: number, expected: number): void {
      [done, all] = [now, expected];
      show();
    },
    /** Removes the line. */
    end(): void {
      if (isShown) seams.writeError("\r\u001b[K");
      isShown = false;
    },
  };
}
