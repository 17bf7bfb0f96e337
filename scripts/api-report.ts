// Compares the public API of @plimsoll/core with the reports in the repository, or writes them.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readCommandLine } from "./source/command-line.ts";

const usage = `node scripts/api-report.ts [--update]

Compares the public API of @plimsoll/core with packages/core/api; with --update, writes that.`;
const { values } = readCommandLine(usage, { update: { type: "boolean", default: false } });

const root = resolve(import.meta.dirname, "..");
const core = join(root, "packages", "core");
const reports = join(core, "api");
const entries = entriesOf(JSON.parse(readFileSync(join(core, "package.json"), "utf8")));

/** The declarations of each entry, by the name of its report. */
function entriesOf(manifest: { readonly exports: Record<string, { types?: string }> }): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [entry, { types }] of Object.entries(manifest.exports)) {
    if (types !== undefined) entries.set(entry === "." ? "core" : entry.slice("./".length), types);
  }
  return entries;
}

/** Declarations of a fresh compilation, since those in dist may be old. */
function compile(folder: string): void {
  cpSync(join(core, "package.json"), join(folder, "package.json"));
  const dist = join(folder, "dist");
  const target = ["--outDir", dist, "--tsBuildInfoFile", join(folder, ".tsbuildinfo")];
  const bare = ["--declarationMap", "false", "--sourceMap", "false"];
  run(join(root, "node_modules", "typescript", "bin", "tsc"), ["-p", core, ...target, ...bare]);
}

function extract(folder: string, name: string, types: string): string {
  const config = join(folder, `${name}.json`);
  const quiet = { logLevel: "none" };
  const settings = {
    projectFolder: folder,
    mainEntryPointFilePath: join(folder, types),
    newlineKind: "lf",
    compiler: {
      overrideTsconfig: {
        compilerOptions: { target: "es2022", lib: ["es2022"], module: "nodenext", types: [] },
        files: [join(folder, types)],
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

/** What the reports of all entries export: a type that one entry uses may be imported from another. */
function exportedNames(reports: readonly string[]): ReadonlySet<string> {
  const names = reports.flatMap((report) =>
    [...report.matchAll(/^export (?:declare )?(?:interface|type|class|function|const) (\w+)/gm)].map(
      ([, name]) => name ?? "",
    ),
  );
  return new Set(names);
}

/** The report without warnings of types that another entry exports. */
function withoutKnown(report: string, names: ReadonlySet<string>): string {
  const isKnown = (line: string) =>
    names.has(/ae-forgotten-export\) The symbol "(\w+)"/.exec(line)?.[1] ?? "");
  return report
    .split("\n")
    .filter((line) => !isKnown(line))
    .join("\n")
    .replaceAll("\n//\n// @", "\n// @");
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

function check([name, report]: readonly [string, string], isUpdate: boolean): boolean {
  const file = join(reports, `${name}.api.md`);
  const stored = existsSync(file) ? readFileSync(file, "utf8") : "";
  const complaints = complaintsOf(report);
  for (const complaint of complaints) console.log(`${name}: ${complaint}`);
  const bare = uncommented(report).length;
  if (bare > 0) console.log(`${name}: ${bare} exports have no comment`);
  if (report === stored) console.log(`${name}: the API is as reported`);
  else if (isUpdate) {
    mkdirSync(reports, { recursive: true });
    writeFileSync(file, report);
    console.log(`${name}: report written`);
  } else {
    console.log(`${name}: the API has changed; if that is meant, run npm run generate`);
    for (const change of changes(stored, report)) console.log(`  ${change}`);
  }
  return complaints.length === 0 && (isUpdate || report === stored);
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-api-"));
try {
  compile(folder);
  const extracted = [...entries].map(([name, types]) => [name, extract(folder, name, types)] as const);
  const names = exportedNames(extracted.map(([, report]) => report));
  const results = extracted.map(([name, report]) =>
    check([name, withoutKnown(report, names)], values.update),
  );
  if (results.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
