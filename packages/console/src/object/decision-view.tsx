// One decision in short: the sentence and its metrics. It needs a decision and nothing else.
import { type Decision, headLine } from "@plimsoll/core";
import { gridRows, MetricsGrid } from "../ui/metrics-grid.tsx";

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

/** What each metric said, and which one decides. */
export function MetricsTable({ decision }: { readonly decision: Decision }) {
  const rows = gridRows(decision);
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Metrics</h2>
      <div class="scroller" tabIndex={0} role="group" aria-labelledby="metrics-title">
        <MetricsGrid rows={rows} />
      </div>
    </section>
  );
}
