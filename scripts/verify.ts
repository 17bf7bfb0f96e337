// Every check that is not a test, all of them to the end, each with its time.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { readCommandLine } from "./source/command-line.ts";
import { workspaces } from "./source/files.ts";

readCommandLine("npm run verify\n\nRuns every check that is not a test, and names those that fail.", {});
const { generators, outdated } = await import("./generate/registry.ts");

const projects = globSync([`${workspaces}/{,test/,cluster/}tsconfig.json`, "scripts/tsconfig.json"]);

/** What is wrong; empty when nothing is. */
type Check = () => string;

const checks: Readonly<Record<string, Check>> = {
  format: command("biome", "ci", "--colors=off", "."),
  types: command("tsc", "-b", ...projects),
  // After the types: the linter reads the declarations of packages that are used as a consumer has them.
  lint: command("oxlint", "--deny-warnings"),
  prose: command("node", "scripts/prose.ts"),
  habits: command("node", "scripts/habits.ts"),
  boundaries: command("node", "scripts/boundaries.ts"),
  house: command("node", "scripts/house.ts", "--check"),
  "dead code": command("knip"),
  ...Object.fromEntries(generators.map((one) => [`generated ${one.name}`, () => outdated(one).join("\n")])),
};

const failed = Object.entries(checks).filter(([name, check]) => {
  const startedAt = performance.now();
  const problems = problemsOf(check);
  const isWrong = problems !== "";
  console.log(
    `${isWrong ? "FAIL" : "ok  "} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
  if (isWrong) console.log(problems);
  return isWrong;
});
console.log(`${Object.keys(checks).length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) {
  console.log(`verify: ${failed.map(([name]) => name).join(", ")} failed`);
  process.exitCode = 1;
}

function problemsOf(check: Check): string {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function command(program: string, ...args: readonly string[]): Check {
  return () => {
    const env = { ...process.env, NO_COLOR: "1" };
    const run = spawnSync(program, args, { encoding: "utf8", maxBuffer: 64 << 20, env });
    return run.status === 0 ? "" : `${run.error?.message ?? ""}${run.stdout}${run.stderr}` || "failed";
  };
}
