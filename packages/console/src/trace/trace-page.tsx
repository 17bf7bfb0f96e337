// One decision, step by step, with those before and after it, and what changed since the one before.
import { diffDecisions, headLine, summarize, summaryState } from "@plimsoll/core";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { useKeys } from "../context/keys.ts";
import { Link } from "../context/link.tsx";
import { listParam, objectRoute, type Route } from "../context/route.ts";
import { choose, useDecisions } from "../object/decisions.ts";
import { DecisionsPending } from "../object/decisions-pending.tsx";
import { useRecord } from "../object/record.ts";
import { ObjectTitle } from "../object/title.tsx";
import { Copy } from "../ui/copy.tsx";
import { tableControl } from "../ui/sorted-table.tsx";
import { clockText } from "../ui/words.ts";
import { firstOpen, stepId } from "./step-title.ts";
import { TraceView } from "./trace-view.tsx";

export function TracePage() {
  const { router } = useConsole();
  const { object } = router.route.value;
  return object === undefined ? null : <OfObject object={object} />;
}

function OfObject({ object }: { readonly object: ObjectKey }) {
  const { router } = useConsole();
  const { at } = router.route.value.params;
  const decisions = useDecisions(object);
  const { value = [] } = decisions.state.value;
  const index = useMemo(() => choose(value, at), [value, at]);
  const logged = value[index];
  return (
    <>
      <ObjectTitle object={object} newest={logged} page="Trace" />
      <DecisionsPending object={object} of={decisions} shown={logged} />
      {logged === undefined ? null : (
        <Shown
          object={object}
          decisions={value}
          logged={logged}
          older={value[index - 1]}
          newer={value[index + 1]}
        />
      )}
    </>
  );
}

/** A decision and those beside it. */
interface ChosenProps {
  readonly object: ObjectKey;
  readonly logged: LoggedDecision;
  readonly older: LoggedDecision | undefined;
  readonly newer: LoggedDecision | undefined;
}

function Shown({ decisions, ...chosen }: ChosenProps & { readonly decisions: readonly LoggedDecision[] }) {
  const { keys, router } = useConsole();
  const route = router.route.value;
  const { object, logged, older } = chosen;
  const { decision } = logged;
  const atMs = Date.parse(logged.at);
  const record = useRecord(object, logged.at);
  const isCompared = route.params["compare"] === "1" && older !== undefined;
  const differences = useMemo(
    () => (isCompared ? diffDecisions(older.decision, decision) : []),
    [isCompared, logged.at],
  );
  const open = route.params["open"] === undefined ? firstOpen(decision) : listParam(route, "open");
  const setOpen = (next: ReadonlySet<string>) =>
    router.set({ open: next.size === 0 ? "none" : [...next].join(",") });
  const all = decision.trace.map(stepId);
  const isAllOpen = all.every((id) => open.has(id));
  // From where the address is: a second press may come before the first one is drawn.
  const goTo = (step: -1 | 1) => () => {
    const to = decisions[choose(decisions, router.route.peek().params["at"]) + step];
    if (to !== undefined) router.set({ at: to.at }, { replace: false });
  };
  useKeys(keys, [
    { key: "[", does: "older decision", run: goTo(-1) },
    { key: "]", does: "newer decision", run: goTo(1) },
    { key: "e", does: "expand or collapse all", run: () => setOpen(new Set(isAllOpen ? [] : all)) },
    { key: "w", does: "what if", run: () => router.go(objectRoute(object, "what-if", { at: logged.at })) },
  ]);
  return (
    <>
      <p class={`headline ${summaryState(summarize(decision))}`}>
        {headLine(decision, { atMs, isRecomputed: logged.source === "recomputed" })}
      </p>
      <Bar {...chosen} isCompared={isCompared} />
      {isCompared && differences.length === 0 ? (
        <p class="note">Nothing differs from the decision before.</p>
      ) : null}
      {logged.leftOut === undefined ? null : (
        <p class="note">{logged.leftOut} pods and values are not kept in this trace.</p>
      )}
      <h2 class="unseen">Steps</h2>
      <TraceView
        decision={decision}
        atMs={atMs}
        open={open}
        onOpen={setOpen}
        tableOf={(id) => tableControl(router, id)}
        recommendations={record.state.value.value?.memory?.recommendations}
        differences={differences}
        names={[clockText(older?.at ?? logged.at), clockText(logged.at)]}
      />
    </>
  );
}

function Bar({ object, logged, older, newer, isCompared }: ChosenProps & { readonly isCompared: boolean }) {
  const { router } = useConsole();
  const { params } = router.route.value;
  const toTrace = (to: LoggedDecision) => objectRoute(object, "trace", { ...params, at: to.at });
  return (
    <div class="trace-bar">
      <time dateTime={logged.at}>{clockText(logged.at)}</time>
      <span class="steps">
        <Step to={older && toTrace(older)} label="‹ older" />
        <Step to={newer && toTrace(newer)} label="newer ›" />
      </span>
      {older === undefined ? null : (
        <button
          type="button"
          class="toggle"
          aria-pressed={isCompared}
          onClick={() => router.set({ compare: isCompared ? "" : "1" })}
        >
          compare with {clockText(older.at)}
        </button>
      )}
      <Link to={objectRoute(object, "what-if", { at: logged.at })} class="button">
        What if
      </Link>
      <span class="bar-end">
        <Copy label="copy as text" text={() => explained(logged)} />
        <Copy label="copy as JSON" text={() => JSON.stringify(logged, undefined, 2)} />
      </span>
    </div>
  );
}

function Step({ to, label }: { readonly to: Route | undefined; readonly label: string }) {
  if (to !== undefined) return <Link to={to} class="button" children={label} />;
  return <span class="button" aria-disabled="true" children={label} />;
}

/** The words of the whole trace come when they are copied. */
async function explained({ decision }: LoggedDecision): Promise<string> {
  const { explain } = await import("./explain.ts");
  return explain(decision, "text");
}
