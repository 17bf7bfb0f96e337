// The pods of an object, as the newest record has them, beside how the deciding metric counted each.
import type { Pod, PodTrace } from "@plimsoll/core";
import { ageText } from "@plimsoll/core/internal/values";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Pending } from "../ui/failure.tsx";
import { podColumns } from "../ui/pod-columns.ts";
import { column, SortedTable, tableControl } from "../ui/sorted-table.tsx";
import { Empty } from "../ui/states.tsx";
import { useRecord } from "./record.ts";

export function Pods({ object, newest }: { readonly object: ObjectKey; readonly newest: LoggedDecision }) {
  const { router } = useConsole();
  const record = useRecord(object, undefined);
  const { value } = record.state.value;
  if (value === undefined) return <Pending of={record} what="The pods" lines={6} />;
  const { pods } = value.input;
  if (!pods.ok) return <Empty title={`the pods could not be listed: ${pods.message}`} />;
  const traces = new Map(tracesOf(newest).map((trace) => [trace.name, trace]));
  return (
    <SortedTable
      label="Pods"
      {...tableControl(router, "pods")}
      columns={[
        column(["pod", "Pod", "Name of the pod"], podName),
        column(
          ["phase", "Phase", "Phase in the status of the pod"],
          ({ status }: Pod) => status?.phase ?? "?",
        ),
        column(["ready", "Ready", "Condition Ready of the pod"], readyText),
        column(["age", "Age", "Time since the pod started"], (pod: Pod) => ageMs(pod, value.input.nowMs), {
          isNumber: true,
          text: ageOf(value.input.nowMs),
        }),
        ...podColumns((pod: Pod) => traces.get(podName(pod))),
      ]}
      rows={pods.pods}
      keyOf={podName}
    />
  );
}

function podName({ metadata }: Pod): string {
  return metadata?.name ?? "";
}

function readyText({ status }: Pod): string {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "?";
}

function ageMs({ status }: Pod, nowMs: number): number {
  const start = status?.startTime;
  return typeof start === "string" ? nowMs - Date.parse(start) : Number.NaN;
}

function ageOf(nowMs: number): (pod: Pod) => string {
  return (pod) => {
    const ms = ageMs(pod, nowMs);
    return Number.isNaN(ms) ? "?" : ageText(ms);
  };
}

/** Of the first metric that looks at pods. */
function tracesOf({ decision }: LoggedDecision): readonly PodTrace[] {
  for (const step of decision.trace) if (step.kind === "metric" && step.pods !== undefined) return step.pods;
  return [];
}
