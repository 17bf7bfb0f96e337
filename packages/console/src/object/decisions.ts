// The decisions about one object, as the page reads and orders them.
import { useConsole } from "../app/console.ts";
import { type DecisionList, type LoggedDecision, type ObjectKey, paths } from "../data/api.ts";
import { keyOf } from "../data/fleet.ts";
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

/** A decision and those beside it. */
export interface Chosen {
  readonly logged: LoggedDecision;
  readonly older: LoggedDecision | undefined;
  readonly newer: LoggedDecision | undefined;
}

/** The one of an instant, else the last one before it; without an instant the newest. */
export function choose(decisions: readonly LoggedDecision[], at: string | undefined): Chosen | undefined {
  const atMs = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  const found = decisions.findLastIndex((one) => Date.parse(one.at) <= atMs);
  const index = found < 0 ? 0 : found;
  const logged = decisions[index];
  return logged === undefined
    ? undefined
    : { logged, older: decisions[index - 1], newer: decisions[index + 1] };
}
