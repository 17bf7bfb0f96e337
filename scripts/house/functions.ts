// Runs the linter for the complexity and the length of functions, so that figures and lint count by the same rule.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProduct } from "../source/files.ts";

export interface FunctionFigure {
  readonly name: string;
  readonly path: string;
  readonly value: number;
}

export interface FunctionFigures {
  /** The one of the highest cyclomatic complexity, and the one of most lines, e.g. "run 12". */
  readonly maxComplexity: string;
  readonly maxLines: string;
  /** Above the limits of .oxlintrc.json, the worst first. */
  readonly tangled: readonly FunctionFigure[];
  readonly long: readonly FunctionFigure[];
}

/** A function has no more than this; a composition root, which .oxlintrc.json names, has a limit of lines of its own. */
const limits = { complexity: 15, lines: 60 };
const linesRule = "max-lines-per-function";

interface Diagnostic {
  readonly code: string;
  readonly message: string;
  readonly filename: string;
}

/** The functions in the sources of all packages below a folder, doubles for tests left out; needs `oxlint` on the PATH. */
export function measureFunctions(folder: string): FunctionFigures {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-house-"));
  try {
    const config = join(work, "oxlint.json");
    writeFileSync(config, JSON.stringify(everyFunction));
    const run = spawnSync("oxlint", ["-c", config, "--format", "json", "packages"], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    if (run.error !== undefined) throw run.error;
    const { diagnostics } = JSON.parse(run.stdout) as { readonly diagnostics: readonly Diagnostic[] };
    return figuresOf(diagnostics, rootLimits(folder));
  } finally {
    rmSync(work, { recursive: true });
  }
}

const everyFunction = {
  plugins: [],
  categories: { correctness: "off" },
  rules: {
    complexity: ["error", { max: 0 }],
    [linesRule]: ["error", { max: 0, skipBlankLines: false, skipComments: false }],
  },
};

interface LintConfig {
  readonly overrides?: readonly {
    readonly files: readonly string[];
    readonly rules: Readonly<Record<string, readonly [string, { readonly max: number }] | string>>;
  }[];
}

/** The limits of lines of composition roots, by their paths. */
function rootLimits(folder: string): ReadonlyMap<string, number> {
  const { overrides = [] } = JSON.parse(readFileSync(join(folder, ".oxlintrc.json"), "utf8")) as LintConfig;
  return new Map(
    overrides.flatMap(({ files, rules }) => {
      const rule = rules[linesRule];
      return typeof rule === "object" ? files.map((path) => [path, rule[1].max] as const) : [];
    }),
  );
}

function isMeasured(path: string): boolean {
  return isProduct(path) && !/\/testing(?:\/|\.ts$)/.test(path);
}

function figuresOf(diagnostics: readonly Diagnostic[], roots: ReadonlyMap<string, number>): FunctionFigures {
  const read = (rule: string, value: RegExp): readonly FunctionFigure[] =>
    diagnostics
      .filter(({ code, filename }) => code === `eslint(${rule})` && isMeasured(filename))
      .map(({ message, filename }) => ({
        name: /`([^`]+)`/.exec(message)?.[1] ?? "a function without a name",
        path: filename,
        value: Number(value.exec(message)?.[1]),
      }))
      .sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));
  const tangled = read("complexity", /complexity of (\d+)/);
  const long = read(linesRule, /lines \((\d+)\)/);
  return {
    maxComplexity: highest(tangled),
    maxLines: highest(long),
    tangled: tangled.filter(({ value }) => value > limits.complexity),
    long: long.filter(({ path, value }) => value > (roots.get(path) ?? limits.lines)),
  };
}

function highest([first]: readonly FunctionFigure[]): string {
  return first === undefined ? "none" : `${first.name} ${first.value}`;
}
