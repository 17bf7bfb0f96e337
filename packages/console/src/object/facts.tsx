// What else is known of an object: findings, schedules, and how the built-in controller compares.
import { otherWriterText } from "@plimsoll/core";
import {
  type FindingsPage,
  keyOf,
  type LoggedDecision,
  type ObjectKey,
  paths,
  type ShadowSummary,
} from "@plimsoll/decisions";
import type { Finding } from "@plimsoll/doctor";
import { useConsole } from "../context/console.ts";
import { absent, useLoader } from "../data/load.ts";
import { FindingItem } from "../findings/finding-item.tsx";
import { Facts } from "../ui/facts.tsx";
import { percent } from "../ui/percent.ts";
import { countText, verdictWords } from "../ui/words.ts";

interface RelatedProps {
  readonly object: ObjectKey;
  readonly newest: LoggedDecision;
}

interface FindingsProps extends RelatedProps {
  readonly decisions: readonly LoggedDecision[];
}

export function Related({ object, newest }: RelatedProps) {
  const { at, otherWriter, assumptions = [], notes = [], errors = [] } = newest;
  const writers = otherWriter === undefined ? [] : [otherWriterText(otherWriter, Date.parse(at))];
  return (
    <section class="panel" aria-labelledby="facts-title">
      <h2 id="facts-title">Related</h2>
      <Facts
        facts={[
          ["Schedules", schedulesText(newest)],
          ...writers.map((text) => ["Another writer", text] as const),
          ["Built-in controller", <BuiltIn key="" object={object} newest={newest} />],
          ...assumptions.map(({ about, value, why }) => [`Assumed: ${about}`, `${value} (${why})`] as const),
          ...[...notes, ...errors].map((note) => ["Note", note] as const),
        ]}
      />
    </section>
  );
}

function schedulesText({ decision }: LoggedDecision): string {
  const step = decision.trace.find((one) => one.kind === "schedules");
  if (step?.kind !== "schedules") return "none";
  const names = step.active.map(({ name }) => name).join(", ");
  return `limits ${step.minReplicas} to ${step.maxReplicas}; ${names === "" ? "no schedule active" : `active: ${names}`}`;
}

function BuiltIn({ object, newest }: RelatedProps) {
  const { client, server } = useConsole();
  const { shadow } = server.value.parts;
  const summary = useLoader(`shadow ${keyOf(object)} ${shadow.ok}`, (signal) =>
    shadow.ok ? client.get<ShadowSummary>(paths.shadow, { signal }) : absent<ShadowSummary>(shadow.reason),
  );
  const item = summary.state.value.value?.items.find(
    ({ namespace, name }) => namespace === object.namespace && name === object.name,
  );
  if (item !== undefined) {
    const compared = item.agreed + item.differed;
    return (
      <>
        agrees {percent(item.agreement)} of {countText(compared)}
        {item.isApart ? <span class="failed-text">, differs now</span> : null}
      </>
    );
  }
  const verdict = newest.comparison?.verdict ?? newest.verdict;
  return <>{verdict === undefined ? "not compared" : verdictWords[verdict]}</>;
}

/** Of the server, where it has the doctor; else, on demand, by those rules that need nothing but records. */
export function Findings({ object, decisions, newest }: FindingsProps) {
  const { client, router, server } = useConsole();
  const { findings } = server.value.parts;
  const isAsked = router.route.value.params["check"] === "1";
  const loaded = useLoader<FindingsPage | undefined>(
    `findings ${keyOf(object)} ${findings.ok} ${isAsked} ${findings.ok ? "" : newest.at}`,
    async (signal) => {
      if (findings.ok) return client.get<FindingsPage>(paths.findingsOf(object), { signal });
      if (!isAsked) return { ok: true, value: undefined };
      const { checkObject } = await import("../findings/check-object.ts");
      return checkObject(client, { object, decisions, signal });
    },
  );
  const { value, failure } = loaded.state.value;
  return (
    <section class="panel" aria-labelledby="findings-title">
      <h2 id="findings-title">Findings</h2>
      {value === undefined ? null : <FindingList findings={value.findings} />}
      {loaded.state.value.isLoading && value === undefined ? <p class="muted">checking …</p> : null}
      {failure === undefined ? null : <p class="note">{failure.message}</p>}
      {findings.ok || isAsked ? null : (
        <button type="button" class="button quiet" onClick={() => router.set({ check: "1" })}>
          Check with the rules that need no cluster access
        </button>
      )}
    </section>
  );
}

function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="muted">none</p>;
  return (
    <ul class="findings">
      {findings.map((finding, index) => (
        <FindingItem key={`${finding.id} ${index}`} finding={finding} hasObject={false} />
      ))}
    </ul>
  );
}
