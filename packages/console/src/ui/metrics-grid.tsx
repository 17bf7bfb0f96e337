// The metrics of a decision as a table: what each said, beside what it had said before where that is given.
import type { MetricRow } from "@plimsoll/core";
import type { ComponentChildren } from "preact";

interface GridProps {
  readonly rows: readonly MetricRow[];
  /** By position: values that differ are shown behind these. */
  readonly before?: readonly MetricRow[];
  /** One more column: what becomes of a metric. */
  readonly outcome?: (row: MetricRow) => ComponentChildren;
}

export function MetricsGrid({ rows, before = rows, outcome }: GridProps) {
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          {["Value", "Target", "Ratio", "Proposed"].map((name) => (
            <th key={name} scope="col" class="num">
              {name}
            </th>
          ))}
          {outcome === undefined ? null : (
            <th scope="col">
              <span class="unseen">What becomes of it</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.index} class={row.decides ? "decides" : ""}>
            <th scope="row" class="wrap">
              {row.label}
              {row.query === undefined ? null : <code>{row.query}</code>}
            </th>
            <Cell before={before[index]?.value} after={row.value} />
            <Cell before={before[index]?.target} after={row.target} />
            <Cell before={before[index]?.ratioText} after={row.ratioText} />
            <Cell before={before[index]?.replicas} after={row.replicas} />
            {outcome === undefined ? null : <td class="wrap">{outcome(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly before: string | number | undefined;
  readonly after: string | number | undefined;
}

function Cell({ before = "—", after = "—" }: CellProps) {
  if (before === after) return <td class="num">{after}</td>;
  return (
    <td class="num edited">
      <s>{before}</s> {after}
    </td>
  );
}
