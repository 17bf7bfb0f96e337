// Checks a rules file: by itself, and against a Prometheus where one is given.
import { messageOf } from "@plimsoll/component-base";
import { parseGoDuration } from "@plimsoll/core/duration";
import { redactUrl } from "@plimsoll/core/redact";
import { connect, createRestMapper } from "@plimsoll/kube";
import { createPrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import {
  createBuiltinMapper,
  inspectRules,
  loadRules,
  type Problem,
  type ResourceMapper,
  type RuleInspection,
  withoutShortNames,
} from "@plimsoll/rules";
import { readInput } from "../read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";

export interface CheckRequest {
  readonly file: string;
  /** URL of a Prometheus. */
  readonly against: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly maxAge: string;
  readonly seams: CliSeams;
}

export interface CheckReport {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Undefined when no Prometheus was queried. */
  readonly rules: readonly RuleInspection[] | undefined;
  /** What is said about the check itself. */
  readonly notes: readonly string[];
  readonly findings: number;
}

/** @throws CliError when the file or Prometheus cannot be read at all. */
export async function checkRules(request: CheckRequest): Promise<CheckReport> {
  const { file, against, seams } = request;
  const maxAgeMs = readMaxAge(request.maxAge);
  const text = await readInput(file, seams);
  const loaded = loadRules(text, file, { promqlProblem, selectorProblem });
  if (!loaded.ok) {
    const { problems, warnings } = loaded;
    const notes = against === undefined ? [] : ["Prometheus was not queried, because the file is not valid"];
    const findings = problems.length + warnings.length;
    return { file, problems, warnings, rules: undefined, notes, findings };
  }
  const { rules, warnings } = loaded;
  const report = { file, problems: [], warnings, rules: undefined, notes: [], findings: warnings.length };
  if (against === undefined) return report;
  const builtin = createBuiltinMapper(rules);
  const cluster = request.kubeconfig === undefined ? undefined : await openCluster(request.kubeconfig, seams);
  const prometheus = await openPrometheus(against, request);
  try {
    const { nowMs, signal } = seams;
    const mapper = cluster?.mapper ?? builtin;
    const inspected = await inspectRules({ rules, prometheus, mapper, nowMs: nowMs(), maxAgeMs, signal });
    const notes =
      cluster === undefined && builtin.assumed.length > 0
        ? [`taken for resources in namespaces, since only the cluster knows: ${builtin.assumed.join(", ")}`]
        : [];
    const findings = warnings.length + inspected.filter((rule) => findingsOf(rule).length > 0).length;
    return { ...report, rules: inspected, notes, findings };
  } finally {
    await Promise.allSettled([prometheus.close(), cluster?.close()]);
  }
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

type Prometheus = ReturnType<typeof createPrometheusClient>;

/** Connects and sends a first, simple query, because a wrong address is one error of the caller, not a finding for each rule. */
async function openPrometheus(url: string, { seams, tokenFile, caFile }: CheckRequest): Promise<Prometheus> {
  const token = tokenFile && (await readInput(tokenFile, seams)).trim();
  const ca = caFile && (await readInput(caFile, seams));
  const client = await orCliError("cannot query Prometheus", async () =>
    createPrometheusClient({
      url,
      ...(token ? { bearerToken: () => token } : {}),
      ...(ca ? { tls: { ca } } : {}),
    }),
  );
  try {
    await client.query("vector(1)", { signal: seams.signal });
    return client;
  } catch (error) {
    await client.close();
    if (!(error instanceof PrometheusError)) throw error;
    throw new CliError(`cannot query Prometheus at ${redactUrl(url)}: ${error.message}`);
  }
}

async function openCluster(
  kubeconfig: string,
  seams: CliSeams,
): Promise<{ readonly mapper: ResourceMapper; close(): Promise<void> }> {
  const client = await orCliError(`cannot use ${kubeconfig}`, () =>
    connect({ kubeconfig, userAgent: `plimsoll/${seams.version}` }),
  );
  const mapper = createRestMapper({ client });
  try {
    await mapper.refresh();
  } catch (error) {
    await client.close();
    throw new CliError(`cannot read the resources of the cluster: ${messageOf(error)}`);
  }
  return { mapper: withoutShortNames(mapper), close: () => client.close() };
}

function readMaxAge(text: string): number {
  const maxAgeMs = parseGoDuration(text);
  if (maxAgeMs !== undefined && maxAgeMs > 0) return maxAgeMs;
  throw new CliError(
    `--max-age: ${JSON.stringify(text)} is not a duration above zero: write one such as "10m"`,
  );
}

async function orCliError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${what}: ${messageOf(error)}`);
  }
}
