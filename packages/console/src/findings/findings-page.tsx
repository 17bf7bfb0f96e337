// What the doctor finds: by all of its rules where the server has it, else by those that need nothing but records.
import { type FindingsPage as Document, paths } from "@plimsoll/decisions";
import { type Finding, type SkippedRule, severities } from "@plimsoll/doctor";
import { useConsole } from "../context/console.ts";
import type { Client, Result } from "../data/client.ts";
import { useLoader } from "../data/load.ts";
import { Pending } from "../ui/failure.tsx";
import { Empty, Notes } from "../ui/states.tsx";
import { clockText, plural } from "../ui/words.ts";
import { FindingItem } from "./finding-item.tsx";

export function FindingsPage() {
  const { client, router, server, signedIn } = useConsole();
  const { ns } = router.route.value.params;
  const { findings } = server.value.parts;
  const loaded = useLoader<Document>(`${ns} ${findings.ok} ${signedIn.value}`, (signal) =>
    findings.ok ? client.get<Document>(paths.findings(ns), { signal }) : fromRecords(client, ns, signal),
  );
  const { value, isLoading } = loaded.state.value;
  return (
    <>
      <header class="title">
        <h1 tabIndex={-1}>Findings</h1>
        <div class="title-end">
          {value === undefined ? null : <span class="muted">as of {clockText(value.at)}</span>}
          <button type="button" class="button" disabled={isLoading} onClick={loaded.reload}>
            Re-run checks
          </button>
        </div>
      </header>
      {findings.ok ? null : (
        <p class="lead">
          {findings.reason} This page runs only the rules that need no cluster access, on autoscalers with a
          problem.
        </p>
      )}
      <Pending of={loaded} what="The findings" lines={8} />
      {value === undefined ? null : <Found page={value} />}
    </>
  );
}

/** The rules come only where the server does not have them. */
async function fromRecords(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Result<Document>> {
  const { readProblems } = await import("./read-problems.ts");
  return readProblems(client, namespace, signal);
}

function Found({ page }: { readonly page: Document }) {
  const { router } = useConsole();
  const { severity } = router.route.value.params;
  const { findings, skipped, checked, notes = [] } = page;
  const shown = findings
    .filter((finding) => severity === undefined || finding.severity === severity)
    .toSorted((one, other) => rank(other) - rank(one));
  return (
    <>
      <div class="counts">
        <span class="total">
          {plural(checked.objects, "autoscaler")}, {plural(checked.rules, "rule")}
        </span>
        {severities.toReversed().map((one) => {
          const count = findings.filter((finding) => finding.severity === one).length;
          return (
            <button
              key={one}
              type="button"
              class={`count ${one}`}
              aria-pressed={severity === one}
              onClick={() => router.set({ severity: severity === one ? "" : one }, { replace: false })}
            >
              {plural(count, one, one === "info" ? one : undefined)}
            </button>
          );
        })}
      </div>
      <Notes notes={notes} />
      {shown.length === 0 ? <Empty title="Nothing found" /> : null}
      <ul class="findings wide">
        {shown.map((finding, index) => (
          <FindingItem
            key={`${finding.id} ${finding.object.namespace}/${finding.object.name} ${index}`}
            finding={finding}
            hasObject
          />
        ))}
      </ul>
      <Skipped skipped={skipped} />
    </>
  );
}

function rank({ severity }: Finding): number {
  return severities.indexOf(severity);
}

/** A rule that could not be checked has not passed. */
function Skipped({ skipped }: { readonly skipped: readonly SkippedRule[] }) {
  if (skipped.length === 0) return null;
  const byReason = Map.groupBy(skipped, ({ id, reason }) => `${id}: ${reason}`);
  return (
    <details class="panel skipped">
      <summary>Not checked: {plural(byReason.size, "rule")}</summary>
      <ul>
        {[...byReason].map(([text, list]) => (
          <li key={text}>
            {text} <span class="muted">({plural(list.length, "object")})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
