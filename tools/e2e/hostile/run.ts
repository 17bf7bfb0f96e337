import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { carryOut } from "./carry-out.ts";
import { brief, type Limits, limitsFrom, type Observer, observe, type Seen, violations } from "./checks.ts";
import { takeoverMs } from "./processes.ts";
import type { Counts } from "./send-requests.ts";
import { type HostileStack, settleStepMs, startHostileStack } from "./stack.ts";
import { periodMs } from "./victim.ts";

export interface Outcome {
  readonly name: string;
  readonly violations: readonly string[];
  /** What was measured, in a line. */
  readonly seen: string;
  readonly counts?: Counts;
  /** What did not hold at a first try. */
  readonly unsteady?: readonly string[];
}

/** A stack with its limits, replaced by another whenever something did not hold on it. */
export interface Arena {
  readonly limits: Limits;
  /** All of the attacks at once, for so long, and then the time after them. */
  run(name: string, attacks: readonly Attack[], holdMs: number): Promise<Outcome>;
  /** A restart of both processes under the attacks, and the end of the leader of two autoscalers. */
  restart(attacks: readonly Attack[], holdMs: number): Promise<readonly Outcome[]>;
  stop(): Promise<void>;
}

interface Open {
  readonly stack: HostileStack;
  readonly observer: Observer;
}

const settleMs = 60_000;

/** For all that the tenant writes and requests; what takes longer goes on meanwhile. */
const maxWaitMs = 90_000;

export interface ArenaOptions {
  /** The program. */
  readonly prometheus: string;
  readonly baselineMs: number;
}

/** Measures how things are without the hostile tenant, and holds all that follows to it. */
export async function openArena({ prometheus, baselineMs }: ArenaOptions): Promise<Arena> {
  let open = await openStack(prometheus);
  const renew = async (): Promise<void> => {
    await close(open);
    open = await openStack(prometheus).catch((error: unknown) => {
      // Before any attack: that the machine was busy, unless it happens again.
      console.log(`              a fresh stack did not settle (${text(error)}); once more`);
      return openStack(prometheus);
    });
  };
  try {
    await sleep(baselineMs);
    const limits = limitsFrom(await open.observer.look());
    return {
      limits,
      async run(name, attacks, holdMs) {
        const outcome = await runOne(open, { name, attacks, holdMs, limits }).catch((error: unknown) =>
          notCarriedOut(name, error),
        );
        if (outcome.violations.length > 0) await renew();
        return outcome;
      },
      async restart(attacks, holdMs) {
        const outcomes = await restarts(open, { attacks, holdMs, limits }).catch((error: unknown) => [
          notCarriedOut("restart under all cases", error),
        ]);
        await renew();
        return outcomes;
      },
      stop: () => close(open),
    };
  } catch (error) {
    await close(open);
    throw error;
  }
}

async function openStack(prometheus: string): Promise<Open> {
  const stack = await startHostileStack(prometheus);
  try {
    await stack.settle(settleMs);
    return { stack, observer: observe(stack) };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function close({ stack, observer }: Open): Promise<void> {
  observer.stop();
  await stack.stop();
}

/** An outcome as well: the other attacks are still tried. */
function notCarriedOut(name: string, error: unknown): Outcome {
  return { name, violations: [`not carried out: ${text(error)}`], seen: "" };
}

interface Round {
  readonly attacks: readonly Attack[];
  readonly holdMs: number;
  readonly limits: Limits;
}

async function runOne(
  { stack, observer }: Open,
  { name, attacks, holdMs, limits }: Round & { readonly name: string },
): Promise<Outcome> {
  await observer.look();
  const running = carryOut(attacks, stack);
  let during: Seen;
  try {
    await Promise.all([sleep(holdMs), Promise.race([running.done, sleep(maxWaitMs)])]);
    during = await observer.look(running.errors);
  } finally {
    await running.undo();
  }
  const found = [...violations(during, limits), ...running.late].map((text) => `during: ${text}`);
  // The removal of large objects is sent to all who watch them: a second look, for what took longer than a moment.
  for (const waitMs of found.length === 0 ? [1000, 5000] : []) {
    await sleep(waitMs);
    await observer.look();
    await sleep(2 * periodMs);
    // From here on the tenant must be as if it had never been.
    found.splice(
      0,
      found.length,
      ...violations(await observer.look(), limits).map((text) => `after: ${text}`),
    );
    if (found.length === 0) break;
  }
  return { name, violations: found, counts: running.counts, seen: brief(during) };
}

async function restarts(
  { stack, observer }: Open,
  { attacks, holdMs, limits }: Round,
): Promise<readonly Outcome[]> {
  const running = carryOut(attacks, stack);
  const outcomes: Outcome[] = [];
  /** @returns how long it took until the victim was served, 0 when it never was */
  const check = async (name: string, act: () => Promise<void>, withinMs = settleMs): Promise<number> => {
    const startedAt = performance.now();
    let settledMs = 0;
    try {
      await act();
      await stack.settle(withinMs);
      settledMs = performance.now() - startedAt;
      observer.reset();
      await sleep(holdMs);
      const seen = await observer.look();
      const after = `settled after ${(settledMs / 1000).toFixed(1)} s, ${brief(seen)}`;
      outcomes.push({ name, violations: violations(seen, limits), seen: after });
    } catch (error) {
      outcomes.push({ name, violations: [text(error)], seen: "" });
    }
    return settledMs;
  };
  try {
    await Promise.race([running.done, sleep(maxWaitMs)]);
    const restartedMs = await check("restart under all cases", () => stack.restart({ autoscalers: 2 }));
    // Two looks: the objects are evaluated by the next leader, and each within its period. On a machine that does other
    // things as well it may take the time that it took to start, which was more work.
    const withinMs = takeoverMs + Math.max(limits.gapMs + 2 * settleStepMs, restartedMs);
    await check(
      "failover under all cases",
      async () => stack.killAutoscaler(await leaderOf(stack)),
      withinMs,
    );
  } finally {
    await running.undo();
  }
  return outcomes;
}

function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${text(error.cause)}`;
}

async function leaderOf({ autoscalers }: HostileStack): Promise<number> {
  const answers = await Promise.all(
    autoscalers.map(async ({ port }) => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  );
  return Math.max(
    0,
    answers.findIndex((text) => /^plimsoll_shards_owned(\{.*\})? 1$/m.test(text)),
  );
}
