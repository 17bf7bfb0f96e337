// The newest decisions about an object, each a link to its trace.
import { summarize } from "@plimsoll/core";
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { clockText, heldWords } from "../ui/words.ts";

interface ListProps {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
}

const shownFirst = 14;

export function DecisionsList({ object, decisions }: ListProps) {
  const { router } = useConsole();
  const isAll = router.route.value.params["decisions"] === "all";
  const newestFirst = decisions.toReversed();
  const shown = isAll ? newestFirst : newestFirst.slice(0, shownFirst);
  const rest = newestFirst.length - shown.length;
  return (
    <section class="panel" aria-labelledby="decisions-title">
      <h2 id="decisions-title">Decisions</h2>
      <ol class="decisions" reversed>
        {shown.map((logged) => (
          <Item key={logged.at} object={object} logged={logged} />
        ))}
      </ol>
      {rest === 0 ? null : (
        <button type="button" class="button quiet" onClick={() => router.set({ decisions: "all" })}>
          {rest} more
        </button>
      )}
    </section>
  );
}

function Item({ object, logged }: { readonly object: ObjectKey; readonly logged: LoggedDecision }) {
  const { current, desired, proposed, action, heldBy } = summarize(logged.decision);
  const isScaled = action === "scale";
  return (
    <li class={isScaled ? "scaled" : ""}>
      <Link to={objectRoute(object, "trace", { at: logged.at })}>
        <time dateTime={logged.at}>{clockText(logged.at)}</time>
        <span class="proposed">{proposed === null ? "nothing proposed" : `proposed ${proposed}`}</span>
        <span class="becomes">
          {isScaled ? (
            <b>
              {current} → {desired}
            </b>
          ) : (
            `stays ${current}`
          )}
        </span>
        <span class="muted">{heldBy === "none" ? "" : heldWords[heldBy]}</span>
      </Link>
    </li>
  );
}
