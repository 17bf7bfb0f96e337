// The pods of an object, as the newest record has them, beside how the deciding metric counted each.
import type { Pod, PodTrace } from "@plimsoll/core";
import { podReasons } from "@plimsoll/core";
import { ageText } from "@plimsoll/core/internal/values";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { amountOf } from "../ui/amount.ts";
import { Pending } from "../ui/failure.tsx";
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
        { id: "pod", name: "Pod", value: podName },
        { id: "phase", name: "Phase", value: ({ status }) => status?.phase ?? "?" },
        { id: "ready", name: "Ready", value: readyText },
        {
          id: "age",
          name: "Age",
          isNumber: true,
          value: (pod) => ageMs(pod, value.input.nowMs),
          text: ageOf(value.input.nowMs),
        },
        { id: "group", name: "Counts as", value: (pod) => traces.get(podName(pod))?.group ?? "—" },
        { id: "why", name: "Why", value: (pod) => whyText(traces.get(podName(pod))) },
        {
          id: "usage",
          name: "Usage",
          isNumber: true,
          value: (pod) => amountOf(traces.get(podName(pod))?.usage ?? "") ?? -1,
          text: (pod) => traces.get(podName(pod))?.usage ?? "—",
        },
        {
          id: "request",
          name: "Request",
          isNumber: true,
          value: (pod) => amountOf(traces.get(podName(pod))?.request ?? "") ?? -1,
          text: (pod) => traces.get(podName(pod))?.request ?? "—",
        },
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

function whyText(trace: PodTrace | undefined): string {
  return trace === undefined ? "—" : podReasons[trace.why];
}

/** Of the first metric that looks at pods. */
function tracesOf({ decision }: LoggedDecision): readonly PodTrace[] {
  for (const step of decision.trace) if (step.kind === "metric" && step.pods !== undefined) return step.pods;
  return [];
}
