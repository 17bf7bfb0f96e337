// Checks a rules file: by itself, and against a Prometheus where one is given.
import { parseGoDuration } from "@plimsoll/core/duration";
import { recipesOf } from "@plimsoll/recipes";
import {
  type CompiledRules,
  createBuiltinMapper,
  inspectRules,
  loadRules,
  type Problem,
  type RuleInspection,
} from "@plimsoll/rules";
import { nodeNames, openCluster, openPrometheus, type PrometheusFlags } from "../../cluster/connect.ts";
import { type SeriesFacts, seriesFacts } from "../../cluster/series-facts.ts";
import { openServers } from "../../cluster/sources.ts";
import { syntax } from "../../input/read-rules.ts";
import { CliError } from "../../seams.ts";
import { withDisplaced } from "./displaced.ts";
import { type MetricOwner, type OtherOwners, ownersOf } from "./owners.ts";
import { recipeWarnings } from "./recipes.ts";

export interface CheckRequest extends PrometheusFlags {
  readonly file: string;
  readonly text: string;
  /** URL of a Prometheus. */
  readonly against: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly sourcesConfig?: string | undefined;
  readonly maxAge: string;
  /** Undefined: owners are not asked for. */
  readonly others?: OtherOwners | undefined;
}

export interface CheckReport {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Undefined when no Prometheus was queried. */
  readonly rules: readonly RuleInspection[] | undefined;
  /** Undefined when they were not asked for, or no Prometheus was queried. */
  readonly owners?: readonly MetricOwner[] | undefined;
  /** What is said about the check itself. */
  readonly notes: readonly string[];
  readonly findings: number;
}

/** @throws CliError when the file or Prometheus cannot be read at all. */
export async function checkRules(request: CheckRequest): Promise<CheckReport> {
  const { file, text, against } = request;
  const maxAgeMs = readMaxAge(request.maxAge);
  const loaded = loadRules(text, file, syntax);
  if (!loaded.ok) {
    const { problems, warnings } = loaded;
    const notes = against === undefined ? [] : ["Prometheus was not queried because the file is invalid"];
    const findings = problems.length + warnings.length;
    return { file, problems, warnings, rules: undefined, notes, findings };
  }
  const { rules } = loaded;
  const withBook = (facts?: ReadonlyMap<string, SeriesFacts>) => [
    ...loaded.warnings,
    ...recipeWarnings(text, rules, facts),
  ];
  const offline = withBook();
  const report = {
    file,
    problems: [],
    warnings: offline,
    rules: undefined,
    notes: [],
    findings: offline.length,
  };
  if (against === undefined && request.sourcesConfig === undefined) return report;
  return await checkAgainst(request, { rules, maxAgeMs, report, withBook });
}

interface Checking {
  readonly rules: CompiledRules;
  readonly maxAgeMs: number;
  /** Without a Prometheus. */
  readonly report: CheckReport;
  readonly withBook: (facts: ReadonlyMap<string, SeriesFacts>) => readonly Problem[];
}

async function checkAgainst(
  { against, seams, ...request }: CheckRequest,
  { rules, maxAgeMs, report, withBook }: Checking,
): Promise<CheckReport> {
  const builtin = createBuiltinMapper(rules);
  const cluster = request.kubeconfig === undefined ? undefined : await openCluster(request.kubeconfig, seams);
  const open = against === undefined ? undefined : () => openPrometheus(against, { ...request, seams });
  const servers = await openServers({ sourcesConfig: request.sourcesConfig, open, seams });
  try {
    const problems = servers.check(rules);
    if (problems.length > 0) {
      const notes = ["no server was queried because rules use sources that can't serve them"];
      return { ...report, problems, notes, findings: problems.length + report.findings };
    }
    const { nowMs, signal } = seams;
    const mapper = cluster?.mapper ?? builtin;
    const nodes = cluster && (await nodeNames(cluster.client));
    const options = { mapper, nowMs: nowMs(), maxAgeMs, signal, nodes };
    const facts = new Map<string, SeriesFacts>();
    const parts = await servers.each(rules, async (part, prometheus) => {
      const found = await inspectRules({ ...options, rules: part, prometheus });
      for (const [path, series] of knownSeries(found))
        facts.set(path, await seriesFacts(series, { prometheus, signal }));
      return found;
    });
    const inspected = withDisplaced(inFileOrder(rules, parts.flat()));
    const notes =
      cluster === undefined && builtin.assumed.length > 0
        ? [
            `assumed to be namespaced resources, because only the cluster knows: ${builtin.assumed.join(", ")}`,
          ]
        : [];
    const warnings = withBook(facts);
    const findings = warnings.length + inspected.filter((rule) => findingsOf(rule).length > 0).length;
    const owners = request.others === undefined ? undefined : ownersOf(inspected, request.others);
    return { ...report, warnings, rules: inspected, owners, notes, findings };
  } finally {
    await Promise.allSettled([servers.close(), cluster?.close()]);
  }
}

/** Series that the recipe book knows, by the rules that find them. */
function knownSeries(inspected: readonly RuleInspection[]): readonly (readonly [string, string])[] {
  return inspected.flatMap(({ path, metrics: [first] }) =>
    first === undefined || recipesOf(first.series).length === 0 ? [] : [[path, first.series] as const],
  );
}

/** Those of resourceRules, which have one source, come last. */
export function inFileOrder<T extends { readonly path: string }>(
  { custom, external }: CompiledRules,
  inspected: readonly T[],
): readonly T[] {
  const order = [...custom, ...external].map(({ path }) => path);
  const place = (path: string): number => (order.includes(path) ? order.indexOf(path) : order.length);
  return inspected.toSorted((a, b) => place(a.path) - place(b.path));
}

/** What is wrong with a rule that reads well. */
export function findingsOf(rule: RuleInspection): readonly string[] {
  const isResource = rule.path.startsWith("resourceRules");
  const nothing = rule.metrics.length === 0 && !isResource && rule.problem === undefined;
  return [
    ...(rule.problem === undefined ? [] : [rule.problem]),
    ...(nothing ? ["it finds no metrics"] : []),
    ...rule.warnings,
    ...(rule.sample?.problem === undefined ? [] : [rule.sample.problem]),
  ];
}

/** @throws CliError with what is allowed */
export function readMaxAge(text: string): number {
  const maxAgeMs = parseGoDuration(text);
  if (maxAgeMs !== undefined && maxAgeMs > 0) return maxAgeMs;
  throw new CliError(
    `--max-age: ${JSON.stringify(text)} is not a duration above zero: use one such as "10m"`,
  );
}
