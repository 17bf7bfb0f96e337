import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Attack, casesFolder, keptCases, readCase } from "./attack.ts";
import type { Limits } from "./checks.ts";
import { randomAttack } from "./grammar/attacks.ts";
import { groupsOf, runGroup } from "./groups.ts";
import { smallest } from "./minimize.ts";
import type { Options } from "./options.ts";
import { type Arena, type Outcome, openArena } from "./run.ts";

const baselineMs = 15_000;
const holdMs = 6000;

/** Everything from the start of the processes to the outcome. @returns the exit code */
export async function openSession(options: Options): Promise<number> {
  const prometheus = process.env["PROMETHEUS"];
  if (prometheus === undefined)
    throw new Error("set PROMETHEUS=/path/to/prometheus, or use 'npm run test:hostile'");
  console.log(`seed ${options.seed}`);
  const arena = await openArena({ prometheus, baselineMs });
  // Interrupted: nothing that was started stays.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void arena.stop().finally(() => process.exit(130)));
  try {
    console.log(`limits: ${limitsText(arena.limits)}`);
    return report(options, await runAll(arena, options));
  } finally {
    await arena.stop();
  }
}

async function runAll(arena: Arena, options: Options): Promise<readonly Outcome[]> {
  const { seed, caseFiles, only, together } = options;
  const outcomes: Outcome[] = [];
  const add = (outcome: Outcome): void => {
    show(outcome);
    outcomes.push(outcome);
  };
  const kept = caseFiles.length === 0 ? keptCases() : caseFiles.map(readCase);
  const atOnce = caseFiles.length === 0 ? together : 1;
  const run = (name: string, attacks: readonly Attack[]) => arena.run(name, attacks, holdMs);
  if (only !== "random")
    for (const group of groupsOf(kept, atOnce)) outcomes.push(...(await runGroup(group, run, show)));
  if (caseFiles.length > 0) return outcomes;
  if (only !== "random")
    for (const outcome of await restartTwice(() => arena.restart(kept, 2 * holdMs))) add(outcome);
  if (only === "kept") return outcomes;
  const endAt = performance.now() + options.minutes * 60_000;
  for (let n = 0; performance.now() < endAt; n++) {
    const attack = randomAttack(seed, n);
    const outcome = await twice(() => arena.run(attack.name, [attack], holdMs));
    add(outcome);
    if (outcome.violations.length > 0)
      keep(await smallest(attack, (one) => arena.run(one.name, [one], holdMs)));
  }
  return outcomes;
}

/** Machines that others share are late at times: what counts is what happens again, on fresh processes. */
async function twice(run: () => Promise<Outcome>): Promise<Outcome> {
  const first = await run();
  if (first.violations.length === 0) return first;
  const second = await run();
  return second.violations.length > 0 ? second : { ...second, unsteady: first.violations };
}

async function restartTwice(restart: () => Promise<readonly Outcome[]>): Promise<readonly Outcome[]> {
  const first = await restart();
  if (first.every(({ violations }) => violations.length === 0)) return first;
  const unsteady = first.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`));
  return (await restart()).map((second) => (second.violations.length > 0 ? second : { ...second, unsteady }));
}

/** What was found is a case from now on. */
function keep(attack: Attack): void {
  mkdirSync(casesFolder, { recursive: true });
  const file = join(casesFolder, `${attack.name}.yaml`);
  writeFileSync(file, stringify(attack, { lineWidth: 0 }));
  console.log(`              kept as ${file}`);
}

function limitsText({ p99Ms, livezMs, gapMs, cronGapMs, rssMb }: Limits): string {
  const memory = Object.entries(rssMb).map(([name, mb]) => `${name} ${Math.round(mb)} MB`);
  const ms = { p99: p99Ms, livez: livezMs, period: gapMs, cron: cronGapMs };
  return [...Object.entries(ms).map(([name, value]) => `${name} ${Math.round(value)} ms`), ...memory].join(
    ", ",
  );
}

function show({ name, violations, unsteady, counts, seen }: Outcome): void {
  const time = new Date().toISOString().slice(11, 19);
  const done =
    counts === undefined
      ? ""
      : ` (${counts.written} written, ${counts.refused} refused, ${counts.edits} edits, ${counts.answered} of ${counts.requests} requests answered)`;
  console.log(`${time} ${violations.length === 0 ? "ok " : "RED"} ${name}: ${seen}${done}`);
  for (const text of violations) console.log(`             ${text}`);
  for (const text of unsteady ?? []) console.log(`             once only: ${text}`);
}

function report({ seed }: Options, outcomes: readonly Outcome[]): number {
  const unsteady = outcomes.filter((outcome) => outcome.unsteady !== undefined);
  const red = outcomes.filter(({ violations }) => violations.length > 0);
  console.log(
    `seed ${seed}: ${outcomes.length - red.length} of ${outcomes.length} held, ${unsteady.length} of them at the second try`,
  );
  for (const { name } of red) console.log(`  RED ${name}`);
  console.log(`${outcomes.length - red.length} passed, ${red.length} failed`);
  return red.length === 0 ? 0 : 1;
}
