// One decision, step by step, with those before and after it, and what changed since the one before.
import { diffDecisions, headLine } from "@plimsoll/core";
import { useMemo } from "preact/hooks";
import { useConsole } from "../app/console.ts";
import { useKeys } from "../app/keys.ts";
import { Link } from "../app/link.tsx";
import { listParam, objectRoute } from "../app/route.ts";
import { tableControl } from "../app/table-control.ts";
import type { LoggedDecision, ObjectKey } from "../data/api.ts";
import { type Chosen, choose, useDecisions } from "../object/decisions.ts";
import { useRecord } from "../object/record.ts";
import { ObjectTitle } from "../object/title.tsx";
import { Copy } from "../ui/copy.tsx";
import { FailurePanel } from "../ui/failure.tsx";
import { Skeleton } from "../ui/states.tsx";
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
  const { value = [], failure } = decisions.state.value;
  const chosen = useMemo(() => choose(value, at), [value, at]);
  return (
    <>
      <ObjectTitle object={object} newest={chosen?.logged} page="Trace" />
      {failure === undefined ? null : (
        <FailurePanel
          failure={failure}
          what={failure.status === 404 && chosen !== undefined ? "Deleted" : "Decisions"}
          retry={decisions.reload}
        />
      )}
      {chosen === undefined ? (
        failure === undefined ? (
          <Skeleton lines={8} />
        ) : null
      ) : (
        <Shown object={object} decisions={value} chosen={chosen} />
      )}
    </>
  );
}

interface ShownProps {
  readonly object: ObjectKey;
  readonly decisions: readonly LoggedDecision[];
  readonly chosen: Chosen;
}

function Shown({ object, decisions, chosen }: ShownProps) {
  const { keys, router } = useConsole();
  const route = router.route.value;
  const { logged, older } = chosen;
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
  const goTo = (side: "older" | "newer") => () => {
    const to = choose(decisions, router.route.peek().params["at"])?.[side];
    if (to !== undefined) router.set({ at: to.at }, { replace: false });
  };
  useKeys(keys, [
    { key: "[", does: "older decision", run: goTo("older") },
    { key: "]", does: "newer decision", run: goTo("newer") },
    { key: "e", does: "expand or collapse all", run: () => setOpen(new Set(isAllOpen ? [] : all)) },
    { key: "w", does: "what if", run: () => router.go(objectRoute(object, "what-if", { at: logged.at })) },
  ]);
  return (
    <>
      <p class="headline">{headLine(decision, { atMs, isRecomputed: logged.source === "recomputed" })}</p>
      <Bar object={object} chosen={chosen} isCompared={isCompared} />
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

interface BarProps {
  readonly object: ObjectKey;
  readonly chosen: Chosen;
  readonly isCompared: boolean;
}

function Bar({ object, chosen, isCompared }: BarProps) {
  const { router } = useConsole();
  const { logged, older, newer } = chosen;
  const { params } = router.route.value;
  const toTrace = (to: LoggedDecision) => objectRoute(object, "trace", { ...params, at: to.at });
  return (
    <div class="trace-bar">
      <time dateTime={logged.at}>{clockText(logged.at)}</time>
      <span class="steps">
        {older === undefined ? (
          <span class="button" aria-disabled="true">
            ‹ older
          </span>
        ) : (
          <Link to={toTrace(older)} class="button">
            ‹ older
          </Link>
        )}
        {newer === undefined ? (
          <span class="button" aria-disabled="true">
            newer ›
          </span>
        ) : (
          <Link to={toTrace(newer)} class="button">
            newer ›
          </Link>
        )}
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

/** The words of the whole trace come when they are copied. */
async function explained({ decision }: LoggedDecision): Promise<string> {
  const { explain } = await import("./explain.ts");
  return explain(decision, "text");
}
