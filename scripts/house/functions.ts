// Asks the linter for the most tangled and the longest function, so that figures and lint count by the same rule.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProduct } from "../source/files.ts";

export interface FunctionFigure {
  readonly name: string;
  readonly path: string;
  readonly value: number;
}

export interface FunctionFigures {
  /** By cyclomatic complexity, the highest first. */
  readonly tangled: readonly FunctionFigure[];
  /** By lines, the longest first. */
  readonly long: readonly FunctionFigure[];
}

interface Diagnostic {
  readonly code: string;
  readonly message: string;
  readonly filename: string;
}

/** Functions above the limits in the sources of all packages below a folder, doubles for tests left out; needs `oxlint` on the PATH. */
export function measureFunctions(folder: string, limits = { complexity: 15, lines: 60 }): FunctionFigures {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-house-"));
  try {
    const config = join(work, "oxlint.json");
    writeFileSync(config, JSON.stringify(configOf(limits)));
    const run = spawnSync("oxlint", ["-c", config, "--format", "json", "packages"], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    if (run.error !== undefined) throw run.error;
    return figuresOf((JSON.parse(run.stdout) as { diagnostics: readonly Diagnostic[] }).diagnostics);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function configOf({ complexity, lines }: { readonly complexity: number; readonly lines: number }): object {
  return {
    plugins: [],
    categories: { correctness: "off" },
    rules: {
      complexity: ["error", { max: complexity }],
      "max-lines-per-function": ["error", { max: lines, skipBlankLines: false, skipComments: false }],
    },
  };
}

function isMeasured(path: string): boolean {
  return isProduct(path) && !/\/testing(?:\/|\.ts$)/.test(path);
}

function figuresOf(diagnostics: readonly Diagnostic[]): FunctionFigures {
  const read = (rule: string, value: RegExp): readonly FunctionFigure[] =>
    diagnostics
      .filter(({ code, filename }) => code === `eslint(${rule})` && isMeasured(filename))
      .map(({ message, filename }) => ({
        name: /`([^`]+)`/.exec(message)?.[1] ?? "a function without a name",
        path: filename,
        value: Number(value.exec(message)?.[1]),
      }))
      .sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));
  return {
    tangled: read("complexity", /complexity of (\d+)/),
    long: read("max-lines-per-function", /lines \((\d+)\)/),
  };
}
