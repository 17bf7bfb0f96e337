import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDemoOptions, usage } from "./options.ts";
import { runDemo } from "./run.ts";

async function main(): Promise<number> {
  const prometheus = process.env["PROMETHEUS"];
  if (prometheus === undefined) {
    process.stderr.write("demo: PROMETHEUS does not name a program; start it by 'npm run demo'\n");
    return 1;
  }
  let options: ReturnType<typeof parseDemoOptions>;
  try {
    options = parseDemoOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return 2;
  }
  if (options === "help") {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-demo-"));
  try {
    return await runDemo({ ...options, folder, prometheus, out: process.stdout, signal: interrupt.signal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
