// The log of a process: JSON lines without secrets, whose output never blocks the process.
export { createLogger, type LogLevel, logLevels } from "./create-logger.ts";
export { createLogOutput, type LogOutput } from "./log-output.ts";

/** What a counter of a metrics library needs. */
interface Counted {
  reset(): void;
  inc(value: number): void;
}

/** The counter of lost log lines, as prom-client makes one: both processes have the same. */
export function lostLinesCounter(lost: () => number) {
  return {
    name: "plimsoll_log_lines_lost_total",
    help: "Log lines that couldn't be written.",
    registers: [],
    collect(this: Counted): void {
      this.reset();
      this.inc(lost());
    },
  };
}
