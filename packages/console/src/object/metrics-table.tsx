// The metrics of a decision: what each said, and which one decides.
import { type Decision, metricRows } from "@plimsoll/core";

export function MetricsTable({ decision }: { readonly decision: Decision }) {
  const rows = metricRows(decision);
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Metrics</h2>
      <div class="scroller" tabIndex={0} role="group" aria-labelledby="metrics-title">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="num">
                Value
              </th>
              <th scope="col" class="num">
                Target
              </th>
              <th scope="col" class="num">
                Ratio
              </th>
              <th scope="col" class="num">
                Proposed
              </th>
              <th scope="col">
                <span class="unseen">What becomes of it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.index} class={row.decides ? "decides" : ""}>
                <th scope="row">{row.label}</th>
                <td class="num">{row.value ?? "—"}</td>
                <td class="num">{row.target ?? "—"}</td>
                <td class="num">{row.ratioText ?? "—"}</td>
                <td class="num">{row.replicas ?? "—"}</td>
                <td class="wrap">
                  {row.decides ? <span class="tag accent">decides</span> : null}
                  {row.error === undefined ? null : (
                    <span class="failed-text">
                      {row.error.reason}: {row.error.message}
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
