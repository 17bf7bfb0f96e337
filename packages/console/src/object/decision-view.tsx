// One decision in short: the sentence and its metrics. It needs a decision and nothing else.
import { type Decision, headLine } from "@plimsoll/core";
import { MetricsTable } from "./metrics-table.tsx";

export interface DecisionViewProps {
  readonly decision: Decision;
  /** When it was decided: times on another day have their date. */
  readonly atMs?: number | undefined;
  /** The decision was recomputed: no controller took it. */
  readonly isRecomputed?: boolean;
}

export function DecisionView({ decision, atMs, isRecomputed }: DecisionViewProps) {
  return (
    <div class="decision">
      <p class="headline">{headLine(decision, { atMs, isRecomputed })}</p>
      <MetricsTable decision={decision} />
    </div>
  );
}
