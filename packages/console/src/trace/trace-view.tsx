// The steps of a decision as disclosures: each with the line that explanations have, and its numbers within.
import type { Decision, DecisionDifference, Recommendation, TraceStep } from "@plimsoll/core";
import { useState } from "preact/hooks";
import { amountOf } from "../ui/amount.ts";
import { PlainTable } from "../ui/plain-table.tsx";
import { kindOf, unitFor } from "../ui/quantity-unit.ts";
import type { TableControl, TableState } from "../ui/sorted-table.tsx";
import { StepDetail } from "./step-detail.tsx";
import { firstOpen, stepId, stepTitle } from "./step-title.ts";

export interface TraceViewProps {
  readonly decision: Pick<Decision, "trace">;
  /** When it was decided: times on another day have their date. */
  readonly atMs?: number | undefined;
  /** Ids of the open steps, where the caller keeps them. */
  readonly open?: ReadonlySet<string> | undefined;
  readonly onOpen?: ((open: ReadonlySet<string>) => void) | undefined;
  /** Where the caller keeps how the tables are sorted: by the id of the step. */
  readonly tableOf?: ((id: string) => TableControl) | undefined;
  /** The recommendations that the window was over, where they are known. */
  readonly recommendations?: readonly Recommendation[] | undefined;
  /** To another decision: shown at the steps that differ. */
  readonly differences?: readonly DecisionDifference[] | undefined;
  /** What the other decision and this one are called beside them. */
  readonly names?: readonly [other: string, own: string] | undefined;
}

/** Without `open` it begins with the steps that a reader needs first, and keeps what is opened itself. */
export function TraceView(props: TraceViewProps) {
  const { decision, atMs, differences = [], names = ["there", "here"] } = props;
  const [ownOpen, setOwnOpen] = useState<ReadonlySet<string>>(() => firstOpen(decision));
  const [tables, setTables] = useState<Readonly<Record<string, TableState>>>({});
  const open = props.open ?? ownOpen;
  const setOpen = props.onOpen ?? setOwnOpen;
  const tableOf =
    props.tableOf ??
    ((id: string): TableControl => ({
      state: tables[id] ?? { sort: "", page: 1 },
      onState: (state) => setTables((before) => ({ ...before, [id]: state })),
    }));
  return (
    <ol class="trace">
      {decision.trace.map((step) => {
        const id = stepId(step);
        return (
          <Step
            key={id}
            step={step}
            id={id}
            atMs={atMs}
            isOpen={open.has(id)}
            onToggle={() => setOpen(toggled(open, id))}
            difference={differences.find((one) => isAbout(one, step))}
            names={names}
          >
            <StepDetail step={step} atMs={atMs} table={tableOf(id)} recommendations={props.recommendations} />
          </Step>
        );
      })}
    </ol>
  );
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

export function isAbout(difference: DecisionDifference, step: TraceStep): boolean {
  if (difference.step !== step.kind) return false;
  return !("index" in step) || difference.metric === step.index;
}

interface StepProps {
  readonly step: TraceStep;
  readonly id: string;
  readonly atMs: number | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly difference: DecisionDifference | undefined;
  readonly names: readonly [string, string];
  readonly children: preact.ComponentChildren;
}

function Step({ step, id, atMs, isOpen, onToggle, difference, names, children }: StepProps) {
  const { name, text } = stepTitle(step, atMs);
  const isFailed = step.kind === "selector" || ("error" in step && step.error !== undefined);
  return (
    <li class={`step${isFailed ? " failed" : ""}${difference === undefined ? "" : " differs"}`}>
      <h3>
        <button type="button" aria-expanded={isOpen} aria-controls={`step-${id}`} onClick={onToggle}>
          <span class="chevron" aria-hidden="true" />
          <span class="step-name">{name}</span>
          <span class="step-text">{text}</span>
          {difference === undefined ? null : <span class="tag changed">differs</span>}
        </button>
      </h3>
      <div id={`step-${id}`} class="step-body" hidden={!isOpen}>
        {isOpen ? (
          <>
            {difference === undefined ? null : <DifferenceList difference={difference} names={names} />}
            {children}
          </>
        ) : null}
      </div>
    </li>
  );
}

const maxFields = 12;

interface ListProps {
  readonly difference: DecisionDifference;
  /** What the two decisions are called. */
  readonly names: readonly [a: string, b: string];
}

/** What differs between two decisions in one step. */
function DifferenceList({ difference: { fields }, names }: ListProps) {
  const rows = fields
    .slice(0, maxFields)
    .map(({ path, a, b }) => [path === "" ? "the step" : path, pairText(a, b), pairText(b, a)]);
  return (
    <div class="differences">
      <PlainTable label="What differs in this step" heads={["Differs", ...names]} rows={rows} />
      {fields.length > rows.length ? <p class="note">and {fields.length - rows.length} more</p> : null}
    </div>
  );
}

/** A quantity in the unit that it shares with the other one. */
function pairText(value: unknown, other: unknown): string {
  if (typeof value !== "string" || amountOf(value) === null) return valueText(value);
  const pair = [value, typeof other === "string" ? other : undefined];
  return unitFor(pair, kindOf(undefined, pair)).text(value);
}

const maxText = 200;

function valueText(value: unknown): string {
  if (value === undefined) return "—";
  if (typeof value === "string") return value;
  return (JSON.stringify(value) ?? "—").slice(0, maxText);
}
