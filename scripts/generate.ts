// Writes the generated files, or names those that are old.
import { readCommandLine } from "./source/command-line.ts";

const usage = `npm run generate [-- [--check] [NAME…]]

Writes the generated files: all, or those whose names begin with NAME. With --check it names old files and fails.`;
const { values, positionals } = readCommandLine(usage, { check: { type: "boolean", default: false } }, true);
const { generators, outdated, write } = await import("./generate/registry.ts");
for (const generator of generators) {
  if (positionals.length > 0 && !positionals.some((name) => generator.name.startsWith(name))) continue;
  try {
    if (!values.check) write(generator);
    else for (const line of outdated(generator)) fail(line);
  } catch (error) {
    fail(`${generator.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(line: string): void {
  console.log(line);
  process.exitCode = 1;
}
