// The fleet: every object in a row, with filters that are in the address.
import { summaryStates } from "@plimsoll/core";
import { countsOf, isProblem, type SummaryRow } from "@plimsoll/decisions";
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { useKeys } from "../context/keys.ts";
import { defaultPeriodMs } from "../data/server.ts";
import { FailurePanel } from "../ui/failure.tsx";
import { Empty, Notes, Skeleton } from "../ui/states.tsx";
import { clockText, countText, plural, stateWords } from "../ui/words.ts";
import { FleetTable } from "./fleet-table.tsx";
import { filter, order, type Selection, selectionOf } from "./select.ts";

export function FleetPage() {
  const { fleet, keys, nowMs, router, server } = useConsole();
  const { params } = router.route.value;
  const namespace = params["ns"];
  useEffect(() => fleet.show(namespace, "name"), [namespace]);
  const selection = useComputed(() => selectionOf(router.route.value.params));
  const sort = useComputed(() => selection.value.sort);
  const isDescending = useComputed(() => selection.value.isDescending);
  const ordered = useComputed(() => order(fleet.data.value.rows.values(), sort.value, isDescending.value));
  const rows = useComputed(() => filter(ordered.value, selection.value));
  const input = useRef<HTMLInputElement>(null);
  useKeys(keys, [{ key: "/", does: "filter", run: () => input.current?.focus() }]);
  const { total, notes } = fleet.data.value;
  const isRead = total > 0 || fleet.state.value === "live" || fleet.state.value === "polling";
  const staleMs = 2 * Math.max(defaultPeriodMs, server.value.periodMs ?? 0);
  const isOld = isRead && nowMs.value - fleet.heardMs.value > staleMs;
  return (
    <>
      <h1 class="unseen">Fleet</h1>
      <div class="fleet-bar">
        <NamespaceChoice />
        <label class="search">
          <span class="unseen">Filter by name, target, metric or state</span>
          <input
            ref={input}
            type="search"
            placeholder="filter"
            autocomplete="off"
            spellcheck={false}
            value={selection.value.filter}
            onInput={(event) => router.set({ q: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <ProblemToggle selection={selection.value} />
      </div>
      <div class="counts">
        {isRead ? <Counts selection={selection.value} shown={rows.value.length} /> : null}
      </div>
      {isOld ? <p class="as-of">as of {clockText(fleet.heardMs.value)}</p> : null}
      {fleet.failure.value === undefined ? null : (
        <FailurePanel failure={fleet.failure.value} what="The fleet" retry={fleet.retry} />
      )}
      <Notes notes={notes} />
      <div class={isOld ? "old" : ""}>
        <Rows rows={rows.value} isRead={isRead} selection={selection.value} />
      </div>
    </>
  );
}

interface RowsProps {
  readonly rows: readonly SummaryRow[];
  readonly isRead: boolean;
  readonly selection: Selection;
}

function Rows({ rows, isRead, selection }: RowsProps) {
  const { fleet, nowMs, router } = useConsole();
  if (rows.length > 0)
    return (
      <>
        <FleetTable rows={rows} selection={selection} nowMs={nowMs} />
        <p class="fleet-hint">
          Open a row to see why it has these replicas, step by step, and what would change them. Press ? for
          keys.
        </p>
      </>
    );
  if (!isRead) return fleet.failure.value === undefined ? <Skeleton lines={12} /> : null;
  if (fleet.data.value.rows.size === 0) {
    const { ns } = router.route.value.params;
    const where = ns === undefined ? "in this cluster" : `in ${ns}`;
    return (
      <Empty title={`No HorizontalPodAutoscaler or WorkloadAutoscaler ${where} yet`}>
        <p>Each appears here as soon as it exists, with what decides its replicas.</p>
        <p>
          To find a metric for a workload: <code>plimsoll metrics setup -n {ns ?? "NAMESPACE"}</code>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No autoscaler matches">
      <button
        type="button"
        class="button"
        onClick={() => router.set({ q: "", problems: "", state: "" }, { replace: false })}
      >
        Show all
      </button>
    </Empty>
  );
}

function NamespaceChoice() {
  const { fleet, router, server } = useConsole();
  const { ns } = router.route.value.params;
  const names = useComputed(() => {
    const seen = new Set(Array.from(fleet.data.value.rows.values(), ({ namespace }) => namespace));
    return [...seen].sort();
  });
  const all = new Set([
    ...(server.value.namespaces ?? []),
    ...names.value,
    ...(ns === undefined ? [] : [ns]),
  ]);
  return (
    <label class="choice">
      <span class="unseen">Namespace</span>
      <select
        value={ns ?? ""}
        onChange={(event) => router.set({ ns: event.currentTarget.value }, { replace: false })}
      >
        <option value="">all namespaces</option>
        {[...all].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ProblemToggle({ selection }: { readonly selection: Selection }) {
  const { fleet, router } = useConsole();
  const count = useComputed(() => {
    let problems = 0;
    for (const row of fleet.data.value.rows.values()) if (isProblem(row)) problems++;
    return problems;
  });
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={selection.isProblem}
      onClick={() => router.set({ problems: selection.isProblem ? "" : "1" }, { replace: false })}
    >
      problems <span class={count.value > 0 ? "badge some" : "badge"}>{countText(count.value)}</span>
    </button>
  );
}

function Counts({ selection, shown }: { readonly selection: Selection; readonly shown: number }) {
  const { fleet, router } = useConsole();
  const counts = useComputed(() => countsOf(fleet.data.value.rows.values()));
  const { rows, total } = fleet.data.value;
  const isPart = rows.size < total;
  return (
    <>
      <span class="total">
        {plural(total, "autoscaler")}
        {isPart ? ` (${countText(rows.size)} loaded)` : ""}
      </span>
      {summaryStates
        .filter((state) => counts.value[state] > 0 || selection.state === state)
        .map((state) => (
          <button
            key={state}
            type="button"
            class={`count ${state}`}
            aria-pressed={selection.state === state}
            onClick={() => router.set({ state: selection.state === state ? "" : state }, { replace: false })}
          >
            <span class="sign" aria-hidden="true">
              {stateWords[state].sign}
            </span>
            {countText(counts.value[state])} {stateWords[state].of}
          </button>
        ))}
      {shown === rows.size ? null : <span class="muted">{countText(shown)} shown</span>}
    </>
  );
}
