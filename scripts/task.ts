// npm run task -- NAME: runs a task of the table, or prints the table.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setup } from "./setup/run.mjs";
import { root } from "./source/files.ts";
import { runnable, setupArgs, tasks } from "./tasks.ts";

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--help" || name === "-h") {
    console.log(list());
    return 0;
  }
  const task = runnable.includes(name) ? tasks[name] : undefined;
  if (task !== undefined) return setup(setupArgs(task, args));
  console.error(`no task "${name}": did you mean "${nearest(name)}"? "npm run task" lists all tasks.`);
  return 2;
}

function list(): string {
  const row = (name: string, minutes: number | string, shows: string) =>
    `${name.padEnd(20)}${String(minutes).padStart(7)}  ${shows}`;
  const rows = runnable.map((name) => row(name, tasks[name]?.minutes ?? "", tasks[name]?.shows ?? ""));
  return ["usage: npm run task -- NAME [ARG…]\n", row("NAME", "MINUTES", "SHOWS"), ...rows].join("\n");
}

/** The task or script whose name is most like this one, as npm runs it. */
function nearest(name: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: object;
  };
  const commands = new Map(Object.keys(scripts).map((script) => [script, `npm run ${script}`]));
  for (const task of runnable) commands.set(task, `npm run task -- ${task}`);
  const [[, command] = ["", ""]] = [...commands].toSorted(
    ([a], [b]) => distance(name, a) - distance(name, b),
  );
  return command;
}

/** How many characters are added, removed or replaced between two names. */
function distance(from: string, to: string): number {
  const letters = to.split("");
  let row = [0, ...letters.map((_, index) => index + 1)];
  for (const [index, letter] of from.split("").entries()) {
    const next = [index + 1];
    for (const [column, other] of letters.entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

process.exitCode = await main(process.argv.slice(2));
