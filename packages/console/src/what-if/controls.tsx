// What can be changed in a recorded decision: measured values with their targets, pods, and settings.
import { type DecideResult, type DecisionRecord, defaultOptions, type MetricTrace } from "@plimsoll/core";
import { useId } from "preact/hooks";
import { metricName } from "../ui/metric-name.ts";
import type { QuantityUnit } from "../ui/quantity-unit.ts";
import { unitOfMetric } from "../ui/readable-metric.ts";
import type { Edits } from "./edits.ts";
import { Slider, TextField } from "./fields.tsx";
import { unreadyCount } from "./pods.ts";
import { milliOf, milliText } from "./quantities.ts";
import { metricTraces } from "./what-if.ts";

interface ControlsProps {
  readonly record: DecisionRecord;
  readonly recorded: DecideResult;
  /** With the recorded values and all other edits. */
  readonly basis: DecideResult;
  /** Of the edits, each with its field before a colon. */
  readonly problems: readonly string[];
  readonly edits: Edits;
  readonly onEdits: (edits: Edits) => void;
}

export function Controls({ record, recorded, basis, problems, edits, onEdits }: ControlsProps) {
  const own = metricTraces(recorded);
  // Limits may have decided alone where no metric was looked at.
  const traces = own.length > 0 ? own : metricTraces(basis);
  const { pods } = record.input;
  return (
    <div class="controls">
      {traces.map((metric) => (
        <MetricControls key={metric.index} metric={metric} edits={edits} onEdits={onEdits} />
      ))}
      {pods.ok ? (
        <Slider
          label="pods not ready"
          max={pods.pods.length}
          value={edits.unready ?? unreadyCount(pods)}
          recorded={unreadyCount(pods)}
          onValue={(unready) => onEdits(without({ ...edits, unready }, "unready", unreadyCount(pods)))}
        />
      ) : null}
      <SettingControls
        record={record}
        recorded={recorded}
        problems={problems}
        edits={edits}
        onEdits={onEdits}
      />
    </div>
  );
}

/** An edit to what was recorded is none. */
function without(
  edits: Edits,
  field: "unready" | "min" | "max" | "downWindowSeconds" | "tolerance",
  recorded: number | string,
): Edits {
  if (edits[field] !== recorded) return edits;
  const { [field]: _, ...rest } = edits;
  return rest;
}

interface MetricControlsProps {
  readonly metric: MetricTrace;
  readonly edits: Edits;
  readonly onEdits: (edits: Edits) => void;
}

function MetricControls({ metric, edits, onEdits }: MetricControlsProps) {
  const { index, target, error } = metric;
  const isPercent = target?.type === "Utilization";
  const unit = unitOfMetric(metric);
  const recorded = recordedValue(metric, unit);
  const recordedTarget = recordedTargetOf(metric, unit);
  const wanted = edits.targets[index] ?? recordedTarget ?? "";
  const name = metricName(metric);
  const setValue = (text: string) =>
    onEdits({ ...edits, values: withEntry(edits.values, index, text, recorded) });
  return (
    <div class="control metric-control">
      <QuantitySlider
        label={`${name}${unitWords(metric)}`}
        recorded={recorded}
        highest={highestOf(metric, recorded)}
        value={edits.values[index] ?? recorded}
        textOf={(milli) => (isPercent ? milliText(milli) : unit.ofAmount(Number(milli) / 1000))}
        onValue={setValue}
      />
      {target === undefined || recordedTarget === undefined ? null : (
        <TextField
          class="target-field"
          label={`target${isPercent ? " %" : target.type === "AverageValue" ? " each" : ""}`}
          value={wanted}
          recorded={recordedTarget}
          isValid={(milliOf(wanted) ?? 0n) > 0n}
          onValue={(text) =>
            onEdits({ ...edits, targets: withEntry(edits.targets, index, text, recordedTarget) })
          }
        />
      )}
      {error === undefined ? null : <p class="note">Could not be read: {error.reason}</p>}
    </div>
  );
}

/** Percent, or a quantity in the unit of the metric. */
function recordedTargetOf({ target }: MetricTrace, unit: QuantityUnit): string | undefined {
  return target === undefined || target.type === "Utilization" ? target?.value : unit.text(target.value);
}

function unitWords(metric: MetricTrace): string {
  if (metric.target?.type === "Utilization") return " %";
  return isEach(metric) ? " each" : "";
}

function withEntry(
  entries: Readonly<Record<number, string>>,
  index: number,
  text: string,
  recorded: string,
): Readonly<Record<number, string>> {
  const { [index]: _, ...rest } = entries;
  return text === recorded ? rest : { ...rest, [index]: text };
}

/** What one pod has; a total otherwise. */
function isEach({ target, type }: MetricTrace): boolean {
  return target?.type === "AverageValue" && type !== "External" && type !== "Object";
}

/** Empty: it could not be read. */
function recordedValue(metric: MetricTrace, unit: QuantityUnit): string {
  const { first, target } = metric;
  if (first === undefined) return "";
  if (target?.type === "Utilization") return first.usage;
  const text = isEach(metric) ? first.usage : first.total;
  return milliOf(text) === undefined ? "" : unit.text(text);
}

/** The end of the slider: three times what is recorded or wanted, whichever is more. */
function highestOf({ target, statusReplicas = 1 }: MetricTrace, recorded: string): bigint {
  const wanted = milliOf(target?.value) ?? 0n;
  const goal = target?.type === "AverageValue" ? wanted * BigInt(Math.max(1, statusReplicas)) : wanted;
  const now = milliOf(recorded) ?? 0n;
  const most = 3n * (now > goal ? now : goal);
  return most > 0n ? most : 1000n;
}

interface QuantitySliderProps {
  readonly label: string;
  readonly recorded: string;
  /** In thousandths. */
  readonly highest: bigint;
  readonly value: string;
  readonly textOf: (milli: bigint) => string;
  readonly onValue: (value: string) => void;
}

const sliderSteps = 300n;

/** In steps of whole units where those are fine enough. */
function QuantitySlider({ label, recorded, highest, value, textOf, onValue }: QuantitySliderProps) {
  const isWhole = (milliOf(recorded) ?? 1n) % 1000n === 0n && highest >= 30_000n;
  const raw = highest / sliderSteps;
  const step = isWhole ? ((raw + 999n) / 1000n) * 1000n || 1000n : raw || 1n;
  const milli = milliOf(value);
  const id = useId();
  return (
    <>
      <label class="control-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={Number(highest / step)}
        value={milli === undefined ? 0 : Number(milli / step)}
        aria-valuetext={value}
        onInput={(event) => onValue(textOf(BigInt(event.currentTarget.value) * step))}
      />
      <TextField
        label={`${label}, exact`}
        isLabelUnseen
        value={value}
        recorded={recorded}
        isValid={value === recorded || (milli !== undefined && milli >= 0n)}
        onValue={onValue}
      />
    </>
  );
}

/** Limits, tolerance and window, as they counted. */
function SettingControls({ record, recorded, problems, edits, onEdits }: Omit<ControlsProps, "basis">) {
  const { spec } = record.input.hpa;
  const options = { ...defaultOptions, ...record.input.options };
  const stabilize = recorded.decision.trace.find((step) => step.kind === "stabilize");
  const window =
    spec.behavior?.scaleDown?.stabilizationWindowSeconds ??
    (stabilize?.kind === "stabilize" ? stabilize.downWindowSeconds : options.downscaleStabilizationMs / 1000);
  const tolerance = spec.behavior?.scaleDown?.tolerance ?? String(options.tolerance);
  const wholes = [
    { field: "min", label: "min", recorded: spec.minReplicas ?? 1 },
    { field: "max", label: "max", recorded: spec.maxReplicas },
    { field: "downWindowSeconds", label: "window s", recorded: window },
  ] as const;
  return (
    <div class="control settings-control">
      {wholes.map(({ field, label, recorded: own }) => (
        <TextField
          key={field}
          label={label}
          value={String(edits[field] ?? own)}
          recorded={String(own)}
          pattern="\d{1,6}"
          isValid={!problems.some((problem) => problem.startsWith(`${label.split(" ")[0]}:`))}
          onValue={(text) => {
            if (/^\d{1,6}$/.test(text)) onEdits(without({ ...edits, [field]: Number(text) }, field, own));
          }}
        />
      ))}
      <TextField
        label="tolerance"
        value={edits.tolerance ?? tolerance}
        recorded={tolerance}
        isValid={(milliOf(edits.tolerance ?? tolerance) ?? -1n) >= 0n}
        onValue={(text) => onEdits(without({ ...edits, tolerance: text }, "tolerance", tolerance))}
      />
    </div>
  );
}
