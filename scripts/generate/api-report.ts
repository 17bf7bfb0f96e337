// The reports of the public API of @plimsoll/core.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../source/files.ts";

const core = join(root, "packages", "core");

/** The report of each entry. @throws when an export has no comment, or a type no name outside */
export function apiReports() {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-api-"));
  try {
    compile(folder);
    const extracted = entries().map(([name, types]) => [name, extract(folder, name, types)] as const);
    const names = exportedNames(extracted.map(([, report]) => report));
    const reports = extracted.map(([name, report]) => [name, withoutKnown(report, names)] as const);
    const complaints = reports.flatMap(([name, report]) =>
      complaintsOf(report).map((one) => `${name}: ${one}`),
    );
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
    return Object.fromEntries(reports.map(([name, report]) => [`packages/core/api/${name}.api.md`, report]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The name of each entry's report, and the entry's declarations. Entries in `internal` are for our own packages. */
function entries(): readonly (readonly [name: string, types: string])[] {
  const manifest = JSON.parse(readFileSync(join(core, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  };
  return Object.entries(manifest.exports).flatMap(([entry, { types }]) =>
    types === undefined || entry.startsWith("./internal/")
      ? []
      : [[entry === "." ? "core" : entry.slice("./".length), types] as const],
  );
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
