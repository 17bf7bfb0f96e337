import { connect, createRestMapper } from "@plimsoll/kube";
import {
  createBuiltinMapper,
  inspectRules,
  loadRules,
  type Problem,
  type ResourceMapper,
  type RuleInspection,
  withoutShortNames,
} from "@plimsoll/metrics-adapter/rules";
import {
  createPrometheusClient,
  DurationError,
  PrometheusError,
  parseGoDuration,
} from "@plimsoll/prometheus";
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
  /** Undefined when no Prometheus was asked. */
  readonly rules: readonly RuleInspection[] | undefined;
  /** What is said about the check itself. */
  readonly notes: readonly string[];
  readonly findings: number;
}

/** @throws CliError when the file or Prometheus cannot be read at all. */
export async function checkRules(request: CheckRequest): Promise<CheckReport> {
  const { file, against, seams } = request;
  const text = await orCliError(`cannot read ${file}`, () => seams.readText(file));
  const loaded = loadRules(text, file);
  if (!loaded.ok) {
    const { problems } = loaded;
    return { file, problems, warnings: [], rules: undefined, notes: [], findings: problems.length };
  }
  const { rules, warnings } = loaded;
  const report = { file, problems: [], warnings, rules: undefined, notes: [], findings: warnings.length };
  if (against === undefined) return report;
  const maxAgeMs = readDuration(request.maxAge);
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
    ...rule.remarks,
    ...(rule.sample?.problem === undefined ? [] : [rule.sample.problem]),
  ];
}

type Prometheus = ReturnType<typeof createPrometheusClient>;

/** Asks a first, simple question: a wrong address is the caller's error, not a finding about each rule. */
async function openPrometheus(url: string, { seams, tokenFile, caFile }: CheckRequest): Promise<Prometheus> {
  const token =
    tokenFile && (await orCliError(`cannot read ${tokenFile}`, () => seams.readText(tokenFile))).trim();
  const ca = caFile && (await orCliError(`cannot read ${caFile}`, () => seams.readText(caFile)));
  const client = await orCliError("cannot ask Prometheus", async () =>
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
    throw new CliError(`cannot ask Prometheus at ${url}: ${error.message}`);
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
    throw new CliError(`cannot ask the cluster for its resources: ${messageOf(error)}`);
  }
  return { mapper: withoutShortNames(mapper), close: () => client.close() };
}

function readDuration(text: string): number {
  try {
    return parseGoDuration(text);
  } catch (error) {
    if (error instanceof DurationError) throw new CliError(`--max-age: ${error.message}`);
    throw error;
  }
}

async function orCliError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${what}: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
