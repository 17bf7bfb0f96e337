// The bars of a backtest of the real controller, and its figures as lines.
import { formatInstant } from "@plimsoll/core";
import type { Backtested } from "./backtest-real.ts";

/** Whether a figure is as good as it has to be. */
export interface Bar {
  readonly text: string;
  readonly ok: boolean;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(2)} %`;
}

/** Of a recovered clock, or of statuses alone. */
export function barsOf({ level, report }: Backtested): readonly Bar[] {
  const { steps, agreed, skill = 0, events } = report;
  const ofSteps = (bar: number): Bar => ({
    text: `${level}: ${percent(share(agreed, steps))} of ${steps} steps, at least ${percent(bar)}`,
    ok: share(agreed, steps) >= bar,
  });
  if (level === "status") return [ofSteps(0.98)];
  const [exact, matched] = [share(events.exact, events.recorded), share(events.matched, events.recorded)];
  return [
    ofSteps(0.985),
    { text: `${level}: skill ${skill.toFixed(2)}, at least 0.5`, ok: skill >= 0.5 },
    {
      text: `${level}: ${percent(exact)} of ${events.recorded} events exact, at least 75 %`,
      ok: exact >= 0.75,
    },
    { text: `${level}: ${percent(matched)} in the same direction, at least 80 %`, ok: matched >= 0.8 },
  ];
}

/** For a person. */
export function figureLines({ level, report, notes }: Backtested): readonly string[] {
  const { steps, agreed, skill, events, clock, causes, mismatches, leftOut } = report;
  const { recorded, matched, exact, extra } = events;
  return [
    `${level}: ${agreed} of ${steps} steps (${leftOut} left out), skill ${skill?.toFixed(2) ?? "-"}, events ${exact} exact and ${matched} in the same direction of ${recorded}, ${extra} extra`,
    `  clock ${JSON.stringify(clock)}`,
    `  causes ${JSON.stringify(causes)}`,
    ...mismatches.map(
      ({ atMs, recorded: was, ours, cause, evidence }) =>
        `  ${formatInstant(atMs)} recorded ${was}, ours ${ours}: ${cause} (${evidence})`,
    ),
    ...notes.map((note) => `  note: ${note}`),
  ];
}
