import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Attack, casesFolder, keptCases, readCase } from "./attack.ts";
import type { Limits } from "./checks.ts";
import { randomAttack } from "./grammar/attacks.ts";
import { groupsOf, runGroup } from "./groups.ts";
import { smallest } from "./minimize.ts";
import type { Options, PrometheusVersion } from "./options.ts";
import { type Arena, type Outcome, openArena } from "./run.ts";

const baselineMs = 15_000;
const holdMs = 6000;

/** Everything from the start of the processes to the outcome. @returns the exit code */
export async function openSession(options: Options): Promise<number> {
  const programs = options.prometheus.map((version) => ({ version, program: programOf(version) }));
  console.log(`seed ${options.seed}`);
  const outcomes: Outcome[] = [];
  for (const [index, { version, program }] of programs.entries()) {
    console.log(`Prometheus ${version}`);
    const share = { index, of: programs.length };
    const arena = await openArena({ prometheus: program, baselineMs });
    // Interrupted: nothing that was started stays.
    const interrupted = () => void arena.stop().finally(() => process.exit(130));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
    try {
      console.log(`limits: ${limitsText(arena.limits)}`);
      outcomes.push(...(await runAll(arena, options, share)));
    } finally {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
      await arena.stop();
    }
  }
  return report(options, outcomes);
}

function programOf(version: PrometheusVersion): string {
  const variable = version === "2" ? "PROMETHEUS" : "PROMETHEUS_3";
  const program = process.env[variable];
  if (program === undefined)
    throw new Error(
      `set ${variable}=/path/to/prometheus, or use 'npm run task -- hostile', with --prometheus where there is only one`,
    );
  return program;
}

/** Of several servers. */
interface Share {
  readonly index: number;
  readonly of: number;
}

async function runAll(arena: Arena, options: Options, share: Share): Promise<readonly Outcome[]> {
  const { seed, caseFiles, only } = options;
  const run = (name: string, attacks: readonly Attack[]) => arena.run(name, attacks, holdMs);
  const restart = (attacks: readonly Attack[]) => arena.restart(attacks, holdMs);
  if (caseFiles.length > 0) return runAlone(caseFiles.map(readCase), { run, restart });
  const outcomes: Outcome[] = only === "random" ? [] : await runKept(arena, options, share);
  if (only === "kept") return outcomes;
  const endAt = performance.now() + (options.minutes / share.of) * 60_000;
  for (let n = share.index; performance.now() < endAt; n += share.of) {
    const attack = randomAttack(seed, n);
    const found = await runAlone([attack], {
      run: (name, attacks) => twice(() => run(name, attacks)),
      restart: (attacks) => restartTwice(() => restart(attacks)),
    });
    outcomes.push(...found);
    if (found.some(({ violations }) => violations.length > 0))
      keep(await smallest(attack, (one) => run(one.name, [one])));
  }
  return outcomes;
}

interface Tries {
  run(name: string, attacks: readonly Attack[]): Promise<Outcome>;
  restart(attacks: readonly Attack[]): Promise<readonly Outcome[]>;
}

/** Each shows by itself whether it still does harm. */
async function runAlone(attacks: readonly Attack[], { run, restart }: Tries): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const attack of attacks) {
    const outcome = await run(attack.name, [attack]);
    show(outcome);
    outcomes.push(outcome);
    if (outcome.violations.length > 0 || attack.restart !== true) continue;
    for (const found of await restart([attack])) {
      const one = { ...found, name: `${attack.name}: ${found.name}` };
      show(one);
      outcomes.push(one);
    }
  }
  return outcomes;
}

async function runKept(arena: Arena, options: Options, { index, of }: Share): Promise<Outcome[]> {
  const cases = keptCases().filter((_, at) => at % options.every === 0);
  const groups = groupsOf(cases, options.together).filter((_, at) => at % of === index);
  const run = (name: string, attacks: readonly Attack[]) => arena.run(name, attacks, holdMs);
  const outcomes: Outcome[] = [];
  for (const group of groups) outcomes.push(...(await runGroup(group, run, show)));
  const together = withOneOfTheLargest(groups.flat());
  for (const outcome of await restartTwice(() => arena.restart(together, 2 * holdMs))) {
    show(outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Those with hundreds of megabytes of objects take gigabytes together of this process, which is the API server. */
function withOneOfTheLargest(attacks: readonly Attack[]): readonly Attack[] {
  const first = attacks.find(({ restart }) => restart === true);
  return attacks.filter((attack) => attack.restart !== true || attack === first);
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

function limitsText({ p99Ms, queriesP99Ms, livezMs, gapMs, cronGapMs, rssMb }: Limits): string {
  const memory = Object.entries(rssMb).map(([name, mb]) => `${name} ${Math.round(mb)} MB`);
  const ms = {
    p99: p99Ms,
    "p99 of Prometheus": queriesP99Ms,
    livez: livezMs,
    period: gapMs,
    cron: cronGapMs,
  };
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
  for (const { name, violations } of red) console.log(`  RED ${name}: ${violations.join("; ")}`);
  console.log(`${outcomes.length - red.length} passed, ${red.length} failed`);
  return red.length === 0 ? 0 : 1;
}
