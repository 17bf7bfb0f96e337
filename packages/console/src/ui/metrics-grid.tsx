// The metrics of a decision as a table: what each said, beside what it had said before where that is given.
import { type Decision, type MetricRow, type MetricTrace, metricRows } from "@plimsoll/core";
import { readableDecision } from "./readable-metric.ts";

/** A metric, with what one pod has of a total that is compared with the target of one pod. */
interface GridRow extends MetricRow {
  readonly each: string | undefined;
}

/** Empty where no metric was evaluated. */
export function gridRows(decision: Decision): readonly GridRow[] {
  const readable = readableDecision(decision);
  const each = new Map(
    readable.trace.flatMap((step) => (step.kind === "metric" ? [[step.index, eachOf(step)] as const] : [])),
  );
  return metricRows(readable).map((row) => ({ ...row, each: each.get(row.index) }));
}

function eachOf({ target, statusReplicas, first }: MetricTrace): string | undefined {
  const isTotal = target?.type === "AverageValue" && statusReplicas !== undefined;
  return isTotal && first !== undefined ? `${first.usage} each` : undefined;
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

const columns = [
  ["Value", "What was measured"],
  ["Target", "Its target in the spec"],
  ["Ratio", "Value divided by target"],
  ["Proposed", "Replicas that this metric calls for"],
] as const;

interface GridProps {
  readonly rows: readonly GridRow[];
  /** By position: values that differ are shown behind these. */
  readonly before?: readonly GridRow[];
}

export function MetricsGrid({ rows, before = rows }: GridProps) {
  return (
    <table class="plain metrics">
      <thead>
        <tr>
          <th scope="col" title="From spec.metrics">
            Metric
          </th>
          {columns.map(([name, title]) => (
            <th key={name} scope="col" class="num" title={title}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.flatMap((row, index) => [
          <tr key={row.index} class={row.decides ? "decides" : ""}>
            <th scope="row" class="wrap">
              {row.label} {row.decides ? <span class="tag accent">decides</span> : null}
              {row.live === undefined ? null : (
                <span class="tag" title={row.live}>
                  live
                </span>
              )}
              {row.query === undefined ? null : <code>{row.query}</code>}
            </th>
            <Cell before={before[index]?.value} after={row.value} note={row.each} />
            <Cell before={before[index]?.target} after={row.target} />
            <Cell before={before[index]?.ratioText} after={row.ratioText} />
            <Cell before={before[index]?.replicas} after={row.replicas} />
          </tr>,
          row.error === undefined ? null : (
            <tr key={`error ${row.index}`}>
              <td colSpan={5} class="wrap failed-text">
                {row.error.reason}: {row.error.message}
              </td>
            </tr>
          ),
        ])}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly before: string | number | undefined;
  readonly after: string | number | undefined;
  readonly note?: string | undefined;
}

function Cell({ before = "—", after = "—", note }: CellProps) {
  return (
    <td class={before === after ? "num" : "num edited"}>
      {before === after ? null : <s>{before}</s>} {after} {note === undefined ? null : <small>{note}</small>}
    </td>
  );
}
