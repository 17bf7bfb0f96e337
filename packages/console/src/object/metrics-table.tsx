// The metrics of a decision: what each said, and which one decides.
import { type Decision, type MetricRow, metricRows } from "@plimsoll/core";
import { readableDecision } from "../trace/readable-metric.ts";
import { MetricsGrid } from "../ui/metrics-grid.tsx";

export function MetricsTable({ decision }: { readonly decision: Decision }) {
  const rows = metricRows(readableDecision(decision));
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Metrics</h2>
      <div class="scroller" tabIndex={0} role="group" aria-labelledby="metrics-title">
        <MetricsGrid rows={rows} outcome={outcomeOf} />
      </div>
    </section>
  );
}

function outcomeOf({ decides, error }: MetricRow) {
  return (
    <>
      {decides ? <span class="tag accent">decides</span> : null}
      {error === undefined ? null : (
        <span class="failed-text">
          {error.reason}: {error.message}
        </span>
      )}
    </>
  );
}
