// The decisions about one object, as the page reads and orders them.
import { summarize } from "@plimsoll/core";
import { type DecisionList, keyOf, type LoggedDecision, type ObjectKey, paths } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import { type Loader, useLoader } from "../data/load.ts";
import { defaultPeriodMs } from "../data/server.ts";

/** As many as a reader would step through. */
const maxDecisions = 500;

/** Oldest first, read again with each period. */
export function useDecisions(key: ObjectKey): Loader<readonly LoggedDecision[]> {
  const { client, server, signedIn } = useConsole();
  return useLoader(
    `${keyOf(key)} ${signedIn.value}`,
    async (signal) => {
      const list = await client.get<DecisionList>(paths.decisions(key, { limit: maxDecisions }), { signal });
      return list.ok ? { ok: true, value: list.value.items } : list;
    },
    { everyMs: server.value.periodMs ?? defaultPeriodMs, source: server.value.source },
  );
}

/** The position of the one of an instant, else of the last one before it; without an instant of the newest. -1: none. */
export function choose(decisions: readonly LoggedDecision[], at: string | undefined): number {
  const atMs = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  const found = decisions.findLastIndex((one) => Date.parse(one.at) <= atMs);
  return found < 0 ? Math.min(0, decisions.length - 1) : found;
}

/** Decisions in a row that keep the same replicas for the same reason, oldest first. */
export type Run = readonly [LoggedDecision, ...LoggedDecision[]];

/** One that scales is alone. */
export function runsOf(decisions: readonly LoggedDecision[]): readonly Run[] {
  const runs: [LoggedDecision, ...LoggedDecision[]][] = [];
  let before: string | undefined;
  for (const logged of decisions) {
    const { action, current, proposed, heldBy } = summarize(logged.decision);
    const kept = action === "scale" ? undefined : `${current} ${heldBy} ${proposed === null}`;
    if (kept !== undefined && kept === before) runs.at(-1)?.push(logged);
    else runs.push([logged]);
    before = kept;
  }
  return runs;
}
