// The figures of several backtests together, against the bars.

/** As `plimsoll backtest -o json` has it, as far as it counts here. */
export interface Report {
  readonly object: string;
  readonly clock: { readonly state: string; readonly periodMs?: number; readonly concentration?: number };
  readonly openLoop: {
    readonly steps: number;
    readonly agreed: number;
    readonly skill?: number;
    readonly events: { readonly recorded: number; readonly matched: number; readonly exact: number };
    readonly causes: Readonly<Record<string, number>>;
  };
}

const bars = { skill: 0.5, exact: 0.75, matched: 0.8 };

/** A line each, and one of all together. */
export function summaryOf(reports: readonly Report[]): {
  readonly lines: readonly string[];
  readonly isGood: boolean;
} {
  const sum = (of: (report: Report) => number): number => reports.reduce((all, one) => all + of(one), 0);
  const steps = sum(({ openLoop }) => openLoop.steps);
  const wrong = steps - sum(({ openLoop }) => openLoop.agreed);
  const recorded = sum(({ openLoop }) => openLoop.events.recorded);
  // Always nothing is wrong at each change.
  const skill = 1 - wrong / recorded;
  const exact = sum(({ openLoop }) => openLoop.events.exact) / recorded;
  const matched = sum(({ openLoop }) => openLoop.events.matched) / recorded;
  const lines = reports.map(
    ({ object, clock, openLoop }) =>
      `${object}: clock ${clock.state} ${((clock.periodMs ?? 0) / 1000).toFixed(3)} s (${(clock.concentration ?? 0).toFixed(2)}), ${openLoop.agreed} of ${openLoop.steps} steps, events ${openLoop.events.matched} (${openLoop.events.exact}) of ${openLoop.events.recorded}, ${JSON.stringify(openLoop.causes)}`,
  );
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const all = `all: ${percent(1 - wrong / steps)} of ${steps} steps, skill ${skill.toFixed(2)}, events ${percent(exact)} exact and ${percent(matched)} in the same direction, of ${recorded}`;
  return {
    lines: [...lines, all],
    isGood: skill >= bars.skill && exact >= bars.exact && matched >= bars.matched,
  };
}
