// npm run bench -- NAME: every measurement of the processes, by name; --all prints one table for each goal.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { type Goal, goals, measureGoal } from "./goals/goals.ts";
import { summarizeProfiles } from "./goals/profile.ts";
import { type GoalResult, storeResults } from "./goals/result.ts";
import { openSession, wholeSession } from "./goals/session.ts";
import { textTable } from "./goals/table.ts";
import { programs } from "./programs.ts";

interface Flags {
  readonly all?: boolean;
  readonly only?: readonly Goal[];
  readonly json?: string;
  readonly scale: number;
  readonly limit: number;
  readonly profile?: string;
}

/** Of all goals, and of one. */
function withOptions(command: Command): Command {
  return command
    .option("--json <FILE>", "also write the results into this file; other goals in it stay")
    .option("--scale <FACTOR>", "so many objects of those of the goals, to try the command", Number, 1)
    .option("--limit <MINUTES>", "of one goal; a busy machine needs more", Number, wholeSession.limitMinutes)
    .option(
      "--profile <FOLDER>",
      "leave CPU profiles of the autoscaler there, and print its costs; adds to the figures",
    );
}

const bench = withOptions(new Command("bench"))
  .description("Measures what the processes cost, beside a floor of the same run.")
  .option("--all", "measure all goals, in less than half an hour on two idle cores")
  .option("--only <GOALS>", "measure these, such as g3,g4: what they share is measured once", goalsOf)
  .action(async (flags: Flags) => {
    if (flags.all === true || flags.only !== undefined) await measure(flags.only ?? goals, flags);
    else bench.help({ error: true });
  });
for (const goal of goals)
  withOptions(bench.command(goal.id.toLowerCase()))
    .description(goal.title)
    .action((flags: Flags) => measure([goal], flags));
for (const { name, description, path, nodeOptions = [] } of programs)
  bench
    .command(name)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .argument("[flags...]", "its own")
    .action((args: readonly string[]) => run(path, [...nodeOptions], args));
await bench.passThroughOptions().parseAsync();

function goalsOf(list: string): readonly Goal[] {
  return list.split(",").map((name) => {
    const goal = goals.find(({ id }) => id === name.toUpperCase());
    if (goal === undefined) throw new InvalidArgumentError(`${name} is no goal; there are g1 to g9`);
    return goal;
  });
}

async function measure(chosen: readonly Goal[], { scale, limit, profile, json }: Flags): Promise<void> {
  const profileFolder = profile === undefined ? undefined : resolve(profile);
  const session = openSession({ scale, limitMinutes: limit, profileFolder });
  const results: GoalResult[] = [];
  const close = async (): Promise<never> => {
    await session.close();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void close());
  try {
    for (const goal of chosen) {
      const result = await measureGoal(session, goal);
      results.push(result);
      console.log(`\n${textTable(result)}`);
      // What was measured is kept when a later goal fails.
      if (json !== undefined) storeResults(json, [result]);
    }
  } finally {
    await session.close();
  }
  if (profileFolder !== undefined)
    console.log(`\nown time, by function:\n${summarizeProfiles(profileFolder).join("\n")}`);
  if (results.some(({ rows }) => rows.length === 0)) process.exitCode = 1;
  // What took too long may still wait for something.
  process.exit();
}

async function run(path: string, nodeOptions: readonly string[], args: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL(path, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
