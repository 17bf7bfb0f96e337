// The pods of an object, as the newest record has them, beside how the deciding metric counted each.
import type { Pod, PodTrace } from "@plimsoll/core";
import { ageText } from "@plimsoll/core/internal/values";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Pending } from "../ui/failure.tsx";
import { podColumns } from "../ui/pod-columns.ts";
import { SortedTable, tableControl } from "../ui/sorted-table.tsx";
import { Empty } from "../ui/states.tsx";
import { useRecord } from "./record.ts";

interface PodsProps {
  readonly object: ObjectKey;
  readonly newest: LoggedDecision;
}

export function Pods({ object, newest }: PodsProps) {
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
        { id: "pod", name: "Pod", title: "Name of the pod", value: podName },
        {
          id: "phase",
          name: "Phase",
          title: "Phase in the status of the pod",
          value: ({ status }) => status?.phase ?? "?",
        },
        { id: "ready", name: "Ready", title: "Condition Ready of the pod", value: readyText },
        {
          id: "age",
          name: "Age",
          title: "Time since the pod started",
          isNumber: true,
          value: (pod) => ageMs(pod, value.input.nowMs),
          text: ageOf(value.input.nowMs),
        },
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
