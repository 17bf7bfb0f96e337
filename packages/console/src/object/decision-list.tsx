// The newest decisions about an object, each a link to its trace; equal ones in a row are one line.
import { summarize } from "@plimsoll/core";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { clockText, heldWord } from "../ui/words.ts";
import { type Run, runsOf } from "./decisions.ts";

interface ListProps {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
}

const shownFirst = 8;

export function DecisionsList({ object, decisions }: ListProps) {
  const { router } = useConsole();
  const isAll = router.route.value.params["decisions"] === "all";
  const runs = isAll ? decisions.map((one): Run => [one]) : runsOf(decisions).slice(-shownFirst);
  return (
    <section class="panel" aria-labelledby="decisions-title">
      <h2 id="decisions-title">Decisions</h2>
      <ol class="decisions" reversed>
        {runs.toReversed().map((run) => (
          <Item key={run[0].at} object={object} run={run} />
        ))}
      </ol>
      {runs.length === decisions.length ? null : (
        <button type="button" class="button quiet" onClick={() => router.set({ decisions: "all" })}>
          Show all {decisions.length}
        </button>
      )}
    </section>
  );
}

/** The first one of its run: that is when it began. */
function Item({ object, run }: { readonly object: ObjectKey; readonly run: Run }) {
  const [first] = run;
  const { current, desired, action, heldBy } = summarize(first.decision);
  const isScaled = action === "scale";
  return (
    <li class={isScaled ? "scaled" : ""}>
      <Link to={objectRoute(object, "trace", { at: first.at })}>
        <time dateTime={first.at}>{clockText(first.at)}</time>
        <span class="proposed">
          {proposedText(run)}
          {run.length === 1 ? null : (
            <span class="times" title="Decisions in a row, the first at this time">{` ×${run.length}`}</span>
          )}
        </span>
        <span class="becomes">
          {isScaled ? (
            <b>
              {current} → {desired}
            </b>
          ) : (
            `stays ${current}`
          )}
        </span>
        <span class="muted">{heldBy === "none" ? "" : heldWord(heldBy)}</span>
      </Link>
    </li>
  );
}

function proposedText(run: Run): string {
  const proposals = run.flatMap(({ decision }) => summarize(decision).proposed ?? []);
  const [low, high] = [Math.min(...proposals), Math.max(...proposals)];
  if (proposals.length === 0) return "nothing proposed";
  return low === high ? `proposed ${low}` : `proposed ${low}–${high}`;
}
