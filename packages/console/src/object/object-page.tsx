// One object: what is decided about it and why, its charts, its decisions, pods and specification.
import { headLine, instantMs, summarize, summaryState } from "@plimsoll/core";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { useKeys } from "../context/keys.ts";
import { Link } from "../context/link.tsx";
import { objectRoute, shortNameOf } from "../context/route.ts";
import { defaultPeriodMs } from "../data/server.ts";
import { Copy } from "../ui/copy.tsx";
import { lazy } from "../ui/lazy.tsx";
import { MetricsTable } from "../ui/metrics-grid.tsx";
import { clockText } from "../ui/words.ts";
import { Charts } from "./charts.tsx";
import { DecisionsList } from "./decision-list.tsx";
import { useDecisions } from "./decisions.ts";
import { DecisionsPending } from "./decisions-pending.tsx";
import { Findings, Related } from "./facts.tsx";
import { ObjectTitle } from "./title.tsx";

// Both need the record.
const Pods = lazy(async () => (await import("./pods.tsx")).Pods);
const Specification = lazy(async () => (await import("./specification.tsx")).Specification);

export function ObjectPage() {
  const { router } = useConsole();
  const { object } = router.route.value;
  return object === undefined ? null : <OfObject object={object} />;
}

function OfObject({ object }: { readonly object: ObjectKey }) {
  const { announcer, keys, router } = useConsole();
  const decisions = useDecisions(object);
  const { value } = decisions.state.value;
  const newest = value?.at(-1);
  const { table } = router.route.value.params;
  useKeys(keys, [
    { key: "w", does: "what if", run: () => router.go(objectRoute(object, "what-if")) },
    { key: "t", does: "table for chart", run: () => router.set({ table: table === "1" ? "" : "1" }) },
    { key: "Enter", does: "trace", run: () => router.go(objectRoute(object, "trace")) },
  ]);
  useMemo(() => {
    if (newest !== undefined) announcer.say(headLine(newest.decision, { atMs: atMsOf(newest) }));
  }, [newest?.at]);
  return (
    <>
      <ObjectTitle object={object} newest={newest}>
        <Copy
          label="Copy kubectl command"
          title="Copies the command that explains this in a terminal"
          text={() =>
            `kubectl plimsoll explain ${shortNameOf(object.resource)}/${object.name} -n ${object.namespace}`
          }
        />
      </ObjectTitle>
      <DecisionsPending object={object} of={decisions} shown={newest} />
      {value === undefined || newest === undefined ? null : (
        <Shown object={object} decisions={value} newest={newest} readMs={decisions.state.value.readMs ?? 0} />
      )}
    </>
  );
}

interface ShownProps {
  readonly object: ObjectKey;
  readonly decisions: readonly LoggedDecision[];
  readonly newest: LoggedDecision;
  readonly readMs: number;
}

function Shown({ object, decisions, newest, readMs }: ShownProps) {
  const { nowMs, router, server } = useConsole();
  const { tab } = router.route.value.params;
  const isOld = nowMs.value - readMs > 2 * (server.value.periodMs ?? defaultPeriodMs);
  return (
    <>
      {isOld ? <p class="as-of">as of {clockText(readMs)}</p> : null}
      <div class={isOld ? "old" : ""}>
        <p class={`headline ${summaryState(summarize(newest.decision))}`}>
          {headLine(newest.decision, { atMs: atMsOf(newest), isRecomputed: newest.source === "recomputed" })}
        </p>
        <Tabs object={object} tab={tab} />
        {tab === "pods" ? (
          <Pods object={object} newest={newest} />
        ) : tab === "yaml" ? (
          <Specification object={object} />
        ) : (
          <div class="object">
            <div class="object-main">
              <Charts object={object} decisions={decisions} />
              <MetricsTable decision={newest.decision} />
            </div>
            <aside class="object-side">
              <Findings object={object} decisions={decisions} newest={newest} />
              <DecisionsList object={object} decisions={decisions} />
              <Related object={object} newest={newest} />
            </aside>
          </div>
        )}
      </div>
    </>
  );
}

function Tabs({ object, tab }: { readonly object: ObjectKey; readonly tab: string | undefined }) {
  const pages = [
    { to: objectRoute(object), name: "Overview", is: tab === undefined },
    { to: objectRoute(object, "trace"), name: "Trace", is: false },
    { to: objectRoute(object, "what-if"), name: "What if", is: false },
    { to: objectRoute(object, "object", { tab: "pods" }), name: "Pods", is: tab === "pods" },
    { to: objectRoute(object, "object", { tab: "yaml" }), name: "YAML", is: tab === "yaml" },
  ];
  return (
    <nav class="tabs" aria-label={`Pages of ${object.name}`}>
      {pages.map(({ to, name, is }) => (
        <Link key={name} to={to} aria-current={is ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

function atMsOf({ at }: LoggedDecision): number | undefined {
  return instantMs(at);
}
