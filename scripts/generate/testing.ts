// The tables of docs/developers/testing.md, from the table of tasks.
import { npmArgs, type Task, tasks } from "../tasks.ts";
import { filled } from "./page.ts";

export function testing() {
  const rows = Object.entries(tasks);
  const parts = rows.filter(([, { part }]) => part !== undefined);
  const others = rows.filter(([, { part }]) => part === undefined);
  return filled("docs/developers/testing.md", { parts: table(parts), tasks: table(others) });
}

function table(rows: readonly (readonly [name: string, task: Task])[]): string {
  const lines = rows.map(([name, task]) => {
    const command = npmArgs(name, task, task.part?.args).join(" ");
    return `| \`npm ${command}\` | ${task.minutes ?? ""} | ${task.shows} |`;
  });
  return ["| command | minutes | what it shows |", "| --- | --- | --- |", ...lines].join("\n");
}
