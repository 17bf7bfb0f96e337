// Compares the public API of @plimsoll/core with the reports in the repository:
//   node scripts/api-report.ts [--update]
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const core = join(root, "packages", "core");
const reports = join(core, "api");
const entries = { core: "index.d.ts", quantity: "quantity/index.d.ts" } as const;

/** Declarations of a fresh compilation, since those in dist may be old. */
function compile(folder: string): void {
  cpSync(join(core, "package.json"), join(folder, "package.json"));
  const dist = join(folder, "dist");
  const target = ["--outDir", dist, "--tsBuildInfoFile", join(folder, ".tsbuildinfo")];
  const bare = ["--declarationMap", "false", "--sourceMap", "false"];
  run(join(root, "node_modules", "typescript", "bin", "tsc"), ["-p", core, ...target, ...bare]);
}

function extract(folder: string, name: keyof typeof entries): string {
  const config = join(folder, `${name}.json`);
  const quiet = { logLevel: "none" };
  const settings = {
    projectFolder: folder,
    mainEntryPointFilePath: join(folder, "dist", entries[name]),
    newlineKind: "lf",
    compiler: {
      overrideTsconfig: {
        compilerOptions: { target: "es2022", lib: ["es2022"], module: "nodenext", types: [] },
        files: [join(folder, "dist", entries[name])],
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: `${name}.api.md`,
      reportFolder: folder,
      reportTempFolder: join(folder, "temp"),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: "warning", addToApiReportFile: true } },
      extractorMessageReporting: {
        default: { logLevel: "warning", addToApiReportFile: true },
        // Everything that is exported is public.
        "ae-missing-release-tag": quiet,
        "ae-undocumented": quiet,
      },
      // Our comments are not written for its parser: "@upstream" is a tag of our own.
      tsdocMessageReporting: { default: quiet },
    },
  };
  writeFileSync(config, JSON.stringify(settings));
  run(join(core, "node_modules", "@microsoft", "api-extractor", "bin", "api-extractor"), [
    "run",
    "--local",
    "--config",
    config,
  ]);
  return formatted(readFileSync(join(folder, `${name}.api.md`), "utf8"));
}

/** As the formatter leaves it, so that formatting the repository does not count as a change of the API. */
function formatted(markdown: string): string {
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  return run(biome, ["format", "--stdin-file-path=packages/core/api/report.md"], markdown);
}

function run(script: string, args: readonly string[], input = ""): string {
  const child = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8", input });
  if (child.status !== 0) throw new Error(`${script} failed:\n${child.stdout}${child.stderr}`);
  return child.stdout;
}

/** A function or class without a comment, or a type that is used and cannot be named from outside. */
function complaintsOf(report: string): readonly string[] {
  const forgotten = report.split("\n").filter((line) => line.includes("ae-forgotten-export"));
  const bare = uncommented(report).filter((line) => /\b(function|class)\b/.test(line));
  return [...forgotten, ...bare.map((line) => `no comment on: ${line}`)];
}

function uncommented(report: string): readonly string[] {
  const lines = report.split("\n");
  return lines.filter((_, i) => /^\/\/ @\w+ .*\(undocumented\)/.test(lines[i - 1] ?? ""));
}

/** The lines that only one of the two has. */
function changes(before: string, after: string): readonly string[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const removed = old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`);
  return [...removed, ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)];
}

function check(folder: string, name: keyof typeof entries, isUpdate: boolean): boolean {
  const report = extract(folder, name);
  const file = join(reports, `${name}.api.md`);
  const stored = existsSync(file) ? readFileSync(file, "utf8") : "";
  const complaints = complaintsOf(report);
  for (const complaint of complaints) console.log(`${name}: ${complaint}`);
  const types = uncommented(report).length;
  if (types > 0) console.log(`${name}: ${types} exports have no comment`);
  if (report === stored) console.log(`${name}: the API is as reported`);
  else if (isUpdate) {
    mkdirSync(reports, { recursive: true });
    writeFileSync(file, report);
    console.log(`${name}: report written`);
  } else {
    console.log(`${name}: the API has changed; if that is meant, run 'node scripts/api-report.ts --update'`);
    for (const change of changes(stored, report)) console.log(`  ${change}`);
  }
  return complaints.length === 0 && (isUpdate || report === stored);
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-api-"));
try {
  compile(folder);
  const isUpdate = process.argv.includes("--update");
  const names = Object.keys(entries) as (keyof typeof entries)[];
  const results = names.map((name) => check(folder, name, isUpdate));
  if (results.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
