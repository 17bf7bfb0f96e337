// One metric of a decision: its arithmetic line by line, its pods and its values.
import type { MetricTrace, PassTrace, PodTrace } from "@plimsoll/core";
import { podColumns } from "../ui/pod-columns.ts";
import { SortedTable, type TableControl } from "../ui/sorted-table.tsx";
import { ratioText } from "../ui/words.ts";

export function MetricDetail({
  metric,
  table,
}: {
  readonly metric: MetricTrace;
  readonly table: TableControl;
}) {
  const { error, first, second, pods, values, counts, query } = metric;
  return (
    <div class="metric">
      {error === undefined ? null : (
        <p class="failed-text">
          {error.reason}: {error.message}
        </p>
      )}
      {query === undefined ? null : (
        <p class="note">
          PromQL: <code>{query}</code>
        </p>
      )}
      {first === undefined ? null : <Pass metric={metric} pass={first} title="" />}
      {second === undefined ? null : <Pass metric={metric} pass={second} title={secondTitle(second)} />}
      {counts === undefined ? null : (
        <p class="group-counts">
          {Object.entries(counts).map(([group, count]) => (
            <span key={group} class={count === 0 ? "muted" : ""}>
              <b>{count}</b> {group}
            </span>
          ))}
        </p>
      )}
      {values === undefined ? null : (
        <p class="note">
          {values.length === 1 ? "value" : `${values.length} values`}: {values.slice(0, 20).join(", ")}
        </p>
      )}
      {pods === undefined || pods.length === 0 ? null : <PodTable pods={pods} table={table} />}
    </div>
  );
}

function secondTitle({ missingAs, unreadyAs }: NonNullable<MetricTrace["second"]>): string {
  const filled = [
    ...(missingAs === undefined ? [] : [`missing pods as using ${missingAs}`]),
    ...(unreadyAs === undefined ? [] : ["pods that are not ready as using 0"]),
  ];
  return filled.length === 0 ? "without the missing pods" : `with ${filled.join(" and ")}`;
}

interface PassProps {
  readonly metric: MetricTrace;
  readonly pass: PassTrace;
  readonly title: string;
}

/** The divisions as a chain, each number with what it is. */
function Pass({ metric, pass, title }: PassProps) {
  const { tolerance } = metric;
  const { down = 0, up = 0 } = tolerance ?? {};
  return (
    <div class="pass">
      {title === "" ? null : <p class="pass-title">Once more, {title}</p>}
      <p class="arithmetic">
        {terms(metric, pass).map(({ sign, value, what }) => (
          <span key={`${sign} ${what}`} class="term">
            {sign === "" ? null : <span class="operator">{sign}</span>}
            <span class="operand">
              <b>{value}</b>
              <small>{what}</small>
            </span>
          </span>
        ))}
      </p>
      <p class="note">
        {ratioText(pass.ratio)} is {pass.withinTolerance ? "within" : "outside"} {ratioText(1 - down)}–
        {ratioText(1 + up)}
        {pass.withinTolerance ? ": nothing changes" : ""}
      </p>
    </div>
  );
}

interface Term {
  readonly sign: string;
  readonly value: string;
  readonly what: string;
}

function terms(metric: MetricTrace, pass: PassTrace): readonly Term[] {
  const { target, statusReplicas } = metric;
  const goal = target?.value ?? "?";
  const ratio: Term = { sign: "=", value: ratioText(pass.ratio), what: "ratio" };
  if (target?.type === "Utilization")
    return [
      { sign: "", value: pass.total, what: `usage of ${pass.pods ?? "?"} pods` },
      { sign: "÷", value: pass.requested ?? "?", what: "requested" },
      { sign: "=", value: `${pass.usage}%`, what: "used" },
      { sign: "÷", value: `${goal}%`, what: "target" },
      ratio,
    ];
  if (target?.type === "Value")
    return [
      { sign: "", value: pass.total, what: "value" },
      { sign: "÷", value: goal, what: "target" },
      ratio,
    ];
  const isTotal = statusReplicas !== undefined;
  return [
    { sign: "", value: pass.total, what: isTotal ? "total" : "sum" },
    {
      sign: "÷",
      value: isTotal ? `(${goal} × ${statusReplicas})` : `${pass.pods ?? "?"}`,
      what: isTotal ? "target × replicas" : "pods",
    },
    ...(isTotal
      ? []
      : [
          { sign: "=", value: pass.usage, what: "each" },
          { sign: "÷", value: goal, what: "target" },
        ]),
    ratio,
  ];
}

const columns = [
  { id: "pod", name: "Pod", title: "Name of the pod", value: ({ name }: PodTrace) => name },
  ...podColumns((pod: PodTrace) => pod),
];

function PodTable({ pods, table }: { readonly pods: readonly PodTrace[]; readonly table: TableControl }) {
  return (
    <SortedTable
      label="Pods of this metric"
      rows={pods}
      keyOf={({ name }) => name}
      {...table}
      columns={columns}
    />
  );
}
