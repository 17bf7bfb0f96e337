// A recorded decision beside what would have been decided with other values. It needs a record and nothing else.
import { type DecideResult, type DecisionRecord, headLine, summarize } from "@plimsoll/core";
import type { ObjectKey } from "@plimsoll/decisions";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Chart } from "../chart/chart.tsx";
import { stepTitle } from "../trace/step-title.ts";
import { isAbout, TraceView } from "../trace/trace-view.tsx";
import { Copy } from "../ui/copy.tsx";
import { gridRows, MetricsGrid } from "../ui/metrics-grid.tsx";
import { Notes } from "../ui/states.tsx";
import { Controls } from "./controls.tsx";
import { type Edits, isEdited, noEdits } from "./edits.ts";
import type { Played } from "./play.ts";
import { patchProblems, recordedResult, type WhatIf, whatIf } from "./what-if.ts";

export interface WhatIfViewProps {
  readonly record: DecisionRecord;
  /** For the command that is copied. */
  readonly object: ObjectKey;
  /** Where the caller keeps the edits; else they are kept here. */
  readonly edits?: Edits | undefined;
  readonly onEdits?: ((edits: Edits) => void) | undefined;
  /** Of the simulated controller. */
  readonly periodMs?: number;
  /** What the record and the edited one are called; with names, the second one is shown when something is edited. */
  readonly names?: readonly [record: string, edited: string];
  /** Said before the names of its parts, where a page has several. */
  readonly label?: string;
  /** The next 30 minutes can be played: true when absent. */
  readonly isPlayable?: boolean;
}

const playMs = 30 * 60_000;

export function WhatIfView(props: WhatIfViewProps) {
  const { record, object, periodMs = 15_000, names = ["recorded", "this"], isPlayable = true } = props;
  const [ownEdits, setOwnEdits] = useState<Edits>(noEdits);
  const edits = props.edits ?? ownEdits;
  const isPair = props.names === undefined || isEdited(edits);
  const onEdits = props.onEdits ?? setOwnEdits;
  const partName = (part: string) => (props.label === undefined ? part : `${props.label}: ${part}`);
  const recorded = useMemo(() => recordedResult(record), [record]);
  const made = useMemo(() => whatIf(record, recorded, edits), [record, edits]);
  const problems = [...made.problems, ...patchProblems(record, edits)];
  const [isPlayed, setPlayed] = useState(false);
  const played = usePlayed(isPlayed, record, made, periodMs);
  const atMs = record.input.nowMs;
  return (
    <div class="what-if">
      <section class="panel" aria-label={partName("Values")}>
        <Controls
          record={record}
          recorded={recorded}
          basis={made.basis}
          problems={problems}
          edits={edits}
          onEdits={onEdits}
        />
        {problems.map((problem) => (
          <p class="failed-text" role="alert" key={problem}>
            {problem}
          </p>
        ))}
        <Actions
          edits={edits}
          onEdits={onEdits}
          hasProblem={problems.length > 0}
          patch={async () => {
            const { patchCommand } = await import("./patch.ts");
            return patchCommand({ object, record, edits, after: made.input.hpa.spec }) ?? "";
          }}
        >
          {isPlayable ? (
            <button
              type="button"
              class="button primary"
              aria-pressed={isPlayed}
              onClick={() => setPlayed(!isPlayed)}
            >
              {isPlayed ? "hide 30 min" : "play 30 min"}
            </button>
          ) : null}
        </Actions>
      </section>
      <Outcome made={made} atMs={atMs} names={names} isPair={isPair} title={partName("Outcome")} />
      {played === undefined ? null : <PlayedChart played={played} />}
      <Steps record={record} made={made} names={names} isPair={isPair} partName={partName} />
    </div>
  );
}

interface StepsProps extends Pick<OutcomeProps, "made" | "names" | "isPair"> {
  readonly record: DecisionRecord;
  readonly partName: (part: string) => string;
}

function Steps({ record, made, names, isPair, partName }: StepsProps) {
  const title = isPair ? "Steps with these values" : "Steps";
  return (
    <section class="what-if-trace" aria-label={partName(title)}>
      <h2>{title}</h2>
      <TraceView
        key={record.at}
        decision={made.changed.decision}
        atMs={record.input.nowMs}
        recommendations={record.memory?.recommendations}
        differences={made.differences}
        names={names}
      />
    </section>
  );
}

interface ActionsProps {
  readonly edits: Edits;
  readonly onEdits: (edits: Edits) => void;
  readonly hasProblem: boolean;
  /** The command comes when it is copied. */
  readonly patch: () => Promise<string>;
  readonly children: preact.ComponentChildren;
}

function Actions({ edits, onEdits, hasProblem, patch, children }: ActionsProps) {
  // A patch has what is edited of the specification.
  const { values: _values, unready: _unready, ...ofSpec } = edits;
  const isSpec = isEdited({ ...ofSpec, values: {} });
  return (
    <div class="actions">
      <button type="button" class="button" disabled={!isEdited(edits)} onClick={() => onEdits(noEdits)}>
        reset
      </button>
      {isSpec && !hasProblem ? (
        <Copy label="copy patch" text={patch} />
      ) : (
        <button type="button" class="button" disabled>
          copy patch
        </button>
      )}
      {children}
    </div>
  );
}

/** The simulator comes when it is first played. */
function usePlayed(
  isPlayed: boolean,
  record: DecisionRecord,
  made: WhatIf,
  periodMs: number,
): Played | undefined {
  const [played, set] = useState<Played>();
  useEffect(() => {
    if (!isPlayed) return undefined;
    let isGone = false;
    const run = async (): Promise<void> => {
      const { play } = await import("./play.ts");
      if (!isGone) set(play(record, made, { forMs: playMs, periodMs }));
    };
    void run();
    return () => {
      isGone = true;
    };
  }, [isPlayed, made]);
  return isPlayed ? played : undefined;
}

function PlayedChart({ played }: { readonly played: Played }) {
  return (
    <section class="panel" aria-labelledby="played-section">
      <h2 id="played-section" class="unseen">
        The next 30 minutes
      </h2>
      <Chart id="played" data={played.chart} height={180} isTable={false} />
      <Notes notes={played.notes} />
    </section>
  );
}

interface OutcomeProps {
  readonly made: WhatIf;
  readonly atMs: number;
  readonly names: readonly [record: string, edited: string];
  readonly isPair: boolean;
  readonly title: string;
}

/** Said when it changes, as a reader looks at the slider meanwhile. */
function Outcome({ made, atMs, names, isPair, title }: OutcomeProps) {
  const { recorded, changed, differences } = made;
  // Steps that are gone from it are the consequence of one that is there.
  const first = changed.decision.trace.find((step) => differences.some((one) => isAbout(one, step)));
  const firstText =
    first === undefined ? "Nothing differs" : `First step that differs: ${stepTitle(first, atMs).name}`;
  return (
    <section class="panel outcome" aria-labelledby="outcome-title">
      <h2 id="outcome-title" class="unseen">
        {title}
      </h2>
      <div class={isPair ? "outcomes" : "outcomes alone"}>
        <Side name={names[0]} result={recorded} atMs={atMs} />
        {isPair ? (
          <Side name={names[1]} result={changed} atMs={atMs} isChanged={differences.length > 0} />
        ) : null}
      </div>
      {isPair ? <p class="first-difference">{firstText}</p> : null}
      <div class="unseen" role="status" aria-live="polite">
        {headLine(changed.decision, { atMs, isRecomputed: true })}
      </div>
      <Comparison recorded={recorded} changed={changed} />
    </section>
  );
}

interface SideProps {
  readonly name: string;
  readonly result: DecideResult;
  readonly atMs: number;
  readonly isChanged?: boolean;
}

function Side({ name, result, atMs, isChanged = false }: SideProps) {
  const { current, desired, proposed, action } = summarize(result.decision);
  return (
    <div class={isChanged ? "side changed" : "side"}>
      <p class="side-name">{name}</p>
      <p class="side-figure">{action === "scale" ? `${current} → ${desired}` : current}</p>
      <p class="side-words">
        {proposed === null ? "nothing proposed" : `proposed ${proposed}`},{" "}
        {action === "scale" ? `goes to ${desired}` : `stays ${current}`}
      </p>
      <p class="note">{headLine(result.decision, { atMs, isRecomputed: true })}</p>
    </div>
  );
}

interface ComparisonProps {
  readonly recorded: DecideResult;
  readonly changed: DecideResult;
}

function Comparison({ recorded, changed }: ComparisonProps) {
  const rows = gridRows(changed.decision);
  if (rows.length === 0) return null;
  return (
    <div class="scroller" tabIndex={0} role="group" aria-label="Metrics with these values">
      <MetricsGrid rows={rows} before={gridRows(recorded.decision)} />
    </div>
  );
}
