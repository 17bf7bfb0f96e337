// One metric of a decision: its arithmetic line by line, its pods and its values.
import type { MetricTrace, PassTrace, PodTrace } from "@plimsoll/core";
import { podColumns } from "../ui/pod-columns.ts";
import { column, SortedTable, type TableControl } from "../ui/sorted-table.tsx";
import { ratioText } from "../ui/words.ts";

interface DetailProps {
  readonly metric: MetricTrace;
  readonly table: TableControl;
}

export function MetricDetail({ metric, table }: DetailProps) {
  const { error, first, second, pods, values, counts, query, live } = metric;
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
          {live === undefined ? null : <> live: {live}</>}
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
        {terms(metric, pass).map(([sign, value, what]) => (
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

type Term = readonly [sign: string, value: string, what: string];

function terms(metric: MetricTrace, pass: PassTrace): readonly Term[] {
  const { target, statusReplicas } = metric;
  const { total, usage, requested = "?", pods = "?" } = pass;
  const goal = target?.value ?? "?";
  const ratio: Term = ["=", ratioText(pass.ratio), "ratio"];
  if (target?.type === "Utilization")
    return [
      ["", total, `usage of ${pods} pods`],
      ["÷", requested, "requested"],
      ["=", `${usage}%`, "used"],
      ["÷", `${goal}%`, "target"],
      ratio,
    ];
  if (target?.type === "Value") return [["", total, "value"], ["÷", goal, "target"], ratio];
  if (statusReplicas !== undefined)
    return [["", total, "total"], ["÷", `(${goal} × ${statusReplicas})`, "target × replicas"], ratio];
  return [["", total, "sum"], ["÷", `${pods}`, "pods"], ["=", usage, "each"], ["÷", goal, "target"], ratio];
}

const columns = [
  column(["pod", "Pod", "Name of the pod"], ({ name }: PodTrace) => name),
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
