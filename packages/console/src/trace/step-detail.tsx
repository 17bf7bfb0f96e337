// What is within a step: the numbers from which its line follows.
import type {
  CombineTrace,
  LimitTrace,
  RateTrace,
  Recommendation,
  SchedulesTrace,
  TraceStep,
} from "@plimsoll/core";
import { Facts } from "../ui/facts.tsx";
import { PlainTable } from "../ui/plain-table.tsx";
import { RangeBar } from "../ui/range-bar.tsx";
import { readableMetric } from "../ui/readable-metric.ts";
import type { TableControl } from "../ui/sorted-table.tsx";
import { clockText, plural } from "../ui/words.ts";
import { MetricDetail } from "./metric-detail.tsx";
import { WindowStrip } from "./window-strip.tsx";

interface DetailProps {
  readonly step: TraceStep;
  readonly atMs: number | undefined;
  readonly table: TableControl;
  readonly recommendations: readonly Recommendation[] | undefined;
}

/** A step without a picture of its own shows its fields, also one of another version of core. */
export function StepDetail({ step, atMs, table, recommendations }: DetailProps) {
  if (step.kind === "metric") return <MetricDetail metric={readableMetric(step)} table={table} />;
  if (step.kind === "stabilize")
    return <WindowStrip step={step} atMs={atMs} recommendations={recommendations} />;
  if (step.kind === "rate") return <Policies step={step} />;
  if (step.kind === "limit") return <Limits step={step} />;
  if (step.kind === "schedules") return <Schedules step={step} />;
  return <Facts facts={step.kind === "combine" ? proposalFacts(step) : plainFacts(step)} />;
}

function proposalFacts({ proposals, winner }: CombineTrace): readonly Fact[] {
  return proposals.map(({ name, replicas, error, index }) => {
    const said = error ?? (replicas === undefined ? "left out" : `proposes ${replicas}`);
    return [name, `${said}${index === winner ? ", decides" : ""}`];
  });
}

/** Every field of a step that has no picture of its own. */
function plainFacts(step: TraceStep): readonly Fact[] {
  return Object.entries(step).flatMap(([name, value]) =>
    name === "kind" || value === undefined ? [] : [[fieldWords(name), fieldText(name, value)] as const],
  );
}

function fieldWords(name: string): string {
  return name.replace(/(?:AtMs|Ms)$/, "").replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

function fieldText(name: string, value: unknown): string {
  if (typeof value === "number" && /(?:AtMs|untilMs|nextMs)$/i.test(name)) return `${clockText(value)} UTC`;
  if (typeof value === "number" && name.endsWith("Ms")) return `${value / 1000}s`;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function Policies({ step }: { readonly step: RateTrace }) {
  const { policies, selectPolicy, direction, limit } = step;
  const rows = policies.map(({ type, value, periodSeconds, events, start, limit: allowed }) => [
    `${value}${type === "Percent" ? " %" : ` ${type}`} in ${periodSeconds}s`,
    events.map(eventText).join(", ") || "none",
    start,
    allowed,
  ]);
  const heads = ["Policy", "Changes in the period", "At its start", "Allows"];
  return (
    <>
      <PlainTable label="Policies" heads={heads} rows={rows} numbersFrom={2} />
      <p class="note">
        {selectPolicy} of {plural(policies.length, "policy", "policies")}, {direction}: {limit}
      </p>
    </>
  );
}

function eventText({ direction, change, atMs }: RateTrace["policies"][number]["events"][number]): string {
  return `${direction === "up" ? "+" : "−"}${change} at ${clockText(atMs)}`;
}

function Limits({ step }: { readonly step: LimitTrace }) {
  const { from, result, minReplicas, maxReplicas, cap, floor, reason } = step;
  return (
    <>
      <RangeBar min={minReplicas} max={maxReplicas} current={result} proposed={from} />
      <Facts
        facts={[
          ["before", String(from)],
          ["after", String(result)],
          ["highest allowed", cap === undefined ? String(maxReplicas) : String(cap)],
          ["lowest allowed", floor === undefined ? String(minReplicas) : String(floor)],
          ["reason", reason],
        ]}
      />
    </>
  );
}

type Fact = readonly [name: string, text: string];

function Schedules({ step }: { readonly step: SchedulesTrace }) {
  const { own, minReplicas, maxReplicas, active, conflict, nextMs } = step;
  const facts: Fact[] = [
    ["own limits", `${own.minReplicas} to ${own.maxReplicas}`],
    ["limits now", `${minReplicas} to ${maxReplicas}`],
    ...active.map((one): Fact => [one.name, activeText(one)]),
  ];
  if (conflict !== undefined) {
    const { floor, ceiling, winner } = conflict;
    facts.push(["conflict", `floor ${floor} is above ceiling ${ceiling}: the ${winner} is used`]);
  }
  if (nextMs !== undefined) facts.push(["next change", `${clockText(nextMs)} UTC`]);
  return <Facts facts={facts} />;
}

function activeText({ floor, ceiling, untilMs }: SchedulesTrace["active"][number]): string {
  const parts = [
    floor === undefined ? "" : `at least ${floor}`,
    ceiling === undefined ? "" : `at most ${ceiling}`,
    untilMs === undefined ? "" : `until ${clockText(untilMs)} UTC`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
