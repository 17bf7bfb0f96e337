// Finds files that .oxlintrc.json still excuses from a limit although they keep it; with --update, removes them there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

type Rules = Readonly<Record<string, unknown>>;

interface Override {
  readonly files: readonly string[];
  readonly rules: Rules;
}

interface Config {
  readonly rules: Rules;
  readonly overrides: readonly Override[];
}

/** Rules that single files may be excused from, each in one override of its own. */
const limits: readonly string[] = ["complexity", "max-lines-per-function", "id-denylist"];

const usage = `node scripts/lint-overrides.ts [--update]

Names files that .oxlintrc.json excuses from a limit although they keep it; with --update, removes them there.`;
const { values } = readCommandLine(usage, { update: { type: "boolean", default: false } });
const file = join(root, ".oxlintrc.json");
const config = JSON.parse(readFileSync(file, "utf8")) as Config;
const offenders = offendersOf(config.rules);
const stale = config.overrides
  .filter(isExcuse)
  .flatMap(({ files, rules }) =>
    files
      .filter((path) => !offenders.has(`${ruleOf(rules)} ${path}`))
      .map((path) => `${path}: keeps ${ruleOf(rules)} and is excused from it in .oxlintrc.json`),
  );
if (!values.update) {
  for (const line of stale) console.log(line);
  if (stale.length > 0) process.exitCode = 1;
} else {
  const overrides = config.overrides
    .map((override) => (isExcuse(override) ? withoutStale(override) : override))
    .filter(({ files }) => files.length > 0);
  writeFileSync(file, `${JSON.stringify({ ...config, overrides }, null, 2)}\n`);
  spawnSync("biome", ["format", "--write", file], { cwd: root });
  console.log(`${stale.length} removed`);
}

/** An override that names files, no patterns, and switches one limit off. */
function isExcuse({ files, rules }: Override): boolean {
  const [name = "", ...others] = Object.keys(rules);
  return others.length === 0 && limits.includes(name) && rules[name] === "off" && !files.join().includes("*");
}

function ruleOf(rules: Rules): string {
  return Object.keys(rules)[0] ?? "";
}

function withoutStale({ files, rules }: Override): Override {
  return { files: files.filter((path) => offenders.has(`${ruleOf(rules)} ${path}`)), rules };
}

/** All files that are beyond a limit, as `rule path`. */
function offendersOf(rules: Rules): ReadonlySet<string> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-lint-"));
  try {
    const bare = join(folder, "oxlint.json");
    const strict = Object.fromEntries(limits.map((name) => [name, rules[name]]));
    writeFileSync(bare, JSON.stringify({ plugins: [], categories: { correctness: "off" }, rules: strict }));
    const { stdout } = spawnSync("oxlint", ["-c", bare, "--format", "json", "."], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    const { diagnostics } = JSON.parse(stdout) as {
      readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
    };
    return new Set(
      diagnostics.map(
        ({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1]} ${filename.replaceAll("\\", "/")}`,
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
