// The charts of an object: from its decisions, or over a longer time from Prometheus where the server has it.
import { metricRows, summarize } from "@plimsoll/core";
import { type HistoryPage, keyOf, type LoggedDecision, type ObjectKey, paths } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { Chart } from "../chart/chart.tsx";
import { type ChartData, historyCharts, metricChart, replicaChart } from "../chart/series.ts";
import { useConsole } from "../context/console.ts";
import { useLoader } from "../data/load.ts";
import { Pending } from "../ui/failure.tsx";
import { Notes } from "../ui/states.tsx";
import { plural } from "../ui/words.ts";

interface ChartsProps {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
}

const spans: Readonly<Record<string, number>> = {
  "1h": 3_600_000,
  "6h": 21_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
};

export function Charts({ object, decisions }: ChartsProps) {
  const { router, server } = useConsole();
  const { span } = router.route.value.params;
  const { history } = server.value.parts;
  const spanMs = span === undefined || !history.ok ? undefined : spans[span];
  return (
    <section class="charts" aria-labelledby="charts-title">
      <h2 id="charts-title" class="unseen">
        Charts
      </h2>
      <div class="chart-bar">
        <SpanChoice decisions={decisions} />
        <MetricChoice decisions={decisions} />
        <TableToggle />
      </div>
      {spanMs === undefined ? (
        <OfDecisions decisions={decisions} />
      ) : (
        <OfHistory object={object} spanMs={spanMs} key={span} />
      )}
    </section>
  );
}

function SpanChoice({ decisions }: Pick<ChartsProps, "decisions">) {
  const { router, server } = useConsole();
  const { span = "" } = router.route.value.params;
  if (!server.value.parts.history.ok)
    return <span class="muted">{plural(decisions.length, "decision")} kept</span>;
  return (
    <fieldset class="segments">
      <legend class="unseen">Time</legend>
      {["", ...Object.keys(spans)].map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={span === value}
          onClick={() => router.set({ span: value }, { replace: false })}
        >
          {value === "" ? "decisions" : value}
        </button>
      ))}
    </fieldset>
  );
}

/** Of several metrics the one that decides, unless another is chosen. */
function metricIndex(decisions: readonly LoggedDecision[], chosen: string | undefined): number {
  const newest = decisions.at(-1);
  const decider = newest === undefined ? null : summarize(newest.decision).decidedBy;
  const index = Number(chosen);
  return chosen !== undefined && Number.isInteger(index) ? index : (decider ?? 0);
}

function MetricChoice({ decisions }: { readonly decisions: readonly LoggedDecision[] }) {
  const { router } = useConsole();
  const newest = decisions.at(-1);
  const names = newest === undefined ? [] : metricRows(newest.decision);
  if (names.length < 2) return null;
  return (
    <label class="choice">
      <span class="unseen">Metric of the chart</span>
      <select
        value={metricIndex(decisions, router.route.value.params["metric"])}
        onChange={(event) => router.set({ metric: event.currentTarget.value })}
      >
        {names.map(({ index, label }) => (
          <option key={index} value={index}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function TableToggle() {
  const { router } = useConsole();
  const isTable = router.route.value.params["table"] === "1";
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isTable}
      onClick={() => router.set({ table: isTable ? "" : "1" })}
    >
      table
    </button>
  );
}

function OfDecisions({ decisions }: { readonly decisions: readonly LoggedDecision[] }) {
  const { router } = useConsole();
  const index = metricIndex(decisions, router.route.value.params["metric"]);
  const charts = useMemo(
    () => [replicaChart(decisions), metricChart(decisions, index)].filter((chart) => chart !== undefined),
    [decisions, index],
  );
  return <Figures charts={charts} />;
}

function OfHistory({ object, spanMs }: { readonly object: ObjectKey; readonly spanMs: number }) {
  const { client } = useConsole();
  const history = useLoader(`${keyOf(object)} ${spanMs}`, (signal) => {
    const toMs = Date.now();
    const [from, to] = [toMs - spanMs, toMs].map((ms) => new Date(ms).toISOString());
    return client.get<HistoryPage>(paths.history(object, { from: from ?? "", to: to ?? "" }), { signal });
  });
  const { value } = history.state.value;
  const charts = useMemo(() => (value === undefined ? [] : historyCharts(value)), [value]);
  if (value === undefined) return <Pending of={history} what="The history" lines={6} />;
  return (
    <>
      <Figures charts={charts} />
      <Notes notes={value.notes} />
    </>
  );
}

function Figures({ charts }: { readonly charts: readonly ChartData[] }) {
  const { router } = useConsole();
  const isTable = router.route.value.params["table"] === "1";
  return (
    <>
      {charts.map((chart, index) => (
        <Chart
          key={`${index} ${chart.title}`}
          id={`chart-${index}`}
          data={chart}
          height={index === 0 ? 190 : 170}
          isTable={isTable}
        />
      ))}
    </>
  );
}
