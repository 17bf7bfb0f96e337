// The real parsers of PromQL, each in a process of its own.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { QueryCost } from "@plimsoll/prometheus/enforce";
import { type BuildOptions, buildProgram, type GoProgram, selection } from "../build.ts";
import { type LineProcess, startLineProcess } from "../line-process.ts";

/** The Go side knows the times, and not the figures of functions. */
export type QueryTimes = Omit<QueryCost, "figures">;

/** What a parser says of a query, before and after it was rewritten; as in oracle/promql/check.go. */
export interface Verdict {
  readonly isQuery: boolean;
  readonly isEnforced: boolean;
  readonly leftOut: number;
  readonly isRewritten: boolean;
  readonly isSame: boolean;
  readonly enforced?: string;
  readonly selectors: number;
  readonly escapes: number;
  readonly isOther: boolean;
  readonly otherEscapes: number;
  readonly cost?: QueryTimes;
}

export interface CheckRequest {
  readonly label: string;
  readonly namespace: string;
  readonly cases: readonly { readonly query: string; readonly rewritten: string }[];
}

export interface PromqlParser {
  /** The version of Prometheus. */
  readonly version: string;
  /** Of the version with the enforcer only. */
  random(count: number, seed: number): Promise<readonly string[]>;
  /** The queries in the tests of its own version, read out of the folder of the Go module. */
  corpus(): Promise<readonly string[]>;
  check(request: CheckRequest): Promise<readonly Verdict[]>;
  close(): Promise<void>;
}

/** The version that the enforcer resolves comes first, then the newest one and the last major one. */
export function promqlPrograms(module: string): readonly [GoProgram, ...GoProgram[]] {
  const older = (version: string): GoProgram => ({
    name: `promql-${version}`,
    module,
    pins: `releases/${version}`,
    tags: [`prometheus${version}`],
  });
  return [{ name: "promql-3.8", module, pins: "go", tags: [] }, older("3.16"), older("2.42")];
}

export async function startParser(
  program: GoProgram,
  options: Omit<BuildOptions, "program">,
): Promise<PromqlParser> {
  const child = startLineProcess(await buildProgram({ program, ...options }));
  const list = ["list", ...selection(program), "-m", "-f", "{{.Dir}}", "github.com/prometheus/prometheus"];
  const { stdout } = await promisify(execFile)("go", list, { cwd: program.module });
  const queriesOf = async (asked: object): Promise<readonly string[]> => {
    const { queries = [] } = (await respond(child, asked)) as { queries?: readonly string[] };
    return queries;
  };
  return {
    version: program.name.replace("promql-", ""),
    random: (count, seed) => queriesOf({ random: { count, seed } }),
    corpus: () => queriesOf({ corpus: stdout.trim() }),
    check: async (check) => {
      const { verdicts } = (await respond(child, { check })) as { verdicts: readonly Verdict[] };
      return verdicts;
    },
    close: child.close,
  };
}

async function respond(child: LineProcess, asked: object): Promise<unknown> {
  const line = await child.request(JSON.stringify(asked));
  if (line === undefined) throw new Error("a parser of PromQL ended during a request");
  return JSON.parse(line);
}
