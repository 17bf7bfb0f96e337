// The flags by which a command reads the history of autoscalers out of a Prometheus.
import { formatMatcher, isLabelName, type Matcher } from "@plimsoll/prometheus";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import type { CompiledRules } from "@plimsoll/rules";
import type { RecordedSpan } from "@plimsoll/simulator";
import { Option } from "commander";
import { type ConnectionFlags, connectionOptions, durationFlag } from "../cluster/flags.ts";
import { readRulesFile } from "../rules/read-rules.ts";
import { CliError, type CliSeams } from "../seams.ts";
import { spanOf } from "./span.ts";

/** As commander reads them. */
export interface HistoryFlags extends Omit<ConnectionFlags, "selector" | "allNamespaces"> {
  readonly prometheusUrl?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly prometheusHeader?: readonly string[];
  readonly queryTimeout: string;
  readonly since: string;
  readonly until?: string;
  readonly selector?: readonly string[];
  readonly rules?: string;
  readonly query?: readonly string[];
  readonly level: "series" | "status";
  readonly manifest?: string;
  readonly partial?: boolean;
  readonly save?: string;
  readonly anonymize?: boolean;
}

/** What of a history is read. */
export interface HistorySettings {
  readonly span: RecordedSpan;
  readonly selector: readonly Matcher[];
  readonly rules: CompiledRules | undefined;
  readonly queries: Readonly<Record<string, string>>;
  readonly level: HistoryFlags["level"];
  readonly isPartial: boolean;
  readonly queryTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

const history = "The history in a Prometheus:";

/** With those of a cluster, which has the manifests. */
export function historyOptions(): readonly Option[] {
  return [
    ...[
      new Option("--prometheus-url <URL>", "the Prometheus that has the series of the autoscaler"),
      new Option("--since <DURATION|INSTANT>", "where the history begins, such as 7d before its end").default(
        "7d",
      ),
      new Option("--until <INSTANT>", "where it ends; now when absent"),
      new Option(
        "--selector <MATCHER>",
        'further labels of the series, such as cluster="eu"; may be repeated',
      ).argParser(repeated),
      new Option(
        "--rules <FILE>",
        "rules file of the metrics adapter: the queries of Pods, Object and External metrics",
      ),
      new Option("--query <METRIC=PROMQL>", "the query of a metric; may be repeated").argParser(repeated),
      new Option("--level <LEVEL>", "series, or only what the status says of its metrics")
        .choices(["series", "status"])
        .default("series"),
      new Option("--manifest <FILE>", "the autoscaler as it is at the end, instead of that of the cluster"),
      new Option("--partial", "read what there is of a span that is not whole"),
      new Option("--token-file <FILE>", "file with a bearer token for Prometheus"),
      new Option("--ca-file <FILE>", "CA bundle for the certificate of Prometheus"),
      new Option(
        "--prometheus-header <NAME=VALUE>",
        "header for each request to Prometheus; may be repeated",
      ).argParser(repeated),
      new Option("--query-timeout <DURATION>", "how long one query may take").default("1m"),
      new Option("--save <FILE>", "write the recording to a file, compressed where it ends in .gz"),
      new Option("--anonymize", "without names in the file of --save"),
    ].map((option) => option.helpGroup(history)),
    ...connectionOptions(),
  ];
}

/** Flags without a default that do nothing unless a Prometheus is named. @throws CliError */
export function checkWithoutPrometheus(flags: HistoryFlags & { readonly all?: boolean }): void {
  const { until, selector, rules, query, manifest, partial, tokenFile, caFile, prometheusHeader } = flags;
  const { save, anonymize, all } = flags;
  const needing = { until, selector, rules, query, manifest, partial, all, save, anonymize };
  const given = {
    ...needing,
    "token-file": tokenFile,
    "ca-file": caFile,
    "prometheus-header": prometheusHeader,
  };
  const [first] = Object.entries(given).filter(([, value]) => value !== undefined);
  if (first !== undefined) throw new CliError(`--${first[0]} needs --prometheus-url`);
}

function repeated(value: string, all: readonly string[] | undefined): readonly string[] {
  return [...(all ?? []), value];
}

/** @throws CliError */
export async function readHistoryFlags(
  flags: HistoryFlags,
  seams: Pick<CliSeams, "readText" | "nowMs">,
): Promise<HistorySettings> {
  if (flags.anonymize === true && flags.save === undefined)
    throw new CliError("--anonymize takes the names out of the file of --save: give --save FILE");
  return {
    span: spanOf(flags, seams.nowMs()),
    selector: (flags.selector ?? []).map(matcherFlag),
    rules: flags.rules === undefined ? undefined : await readRulesFile(flags.rules, seams),
    queries: Object.fromEntries((flags.query ?? []).map(queryFlag)),
    level: flags.level,
    isPartial: flags.partial === true,
    queryTimeoutMs: durationFlag("--query-timeout", flags.queryTimeout, 1000),
    headers: Object.fromEntries((flags.prometheusHeader ?? []).map(headerFlag)),
  };
}

const operators = ["=~", "!~", "!=", "="] as const;

function matcherFlag(text: string): Matcher {
  const [, label = "", sign, rest = ""] = /^([^=!~"]*)(=~|!~|!=|=)(.*)$/s.exec(text) ?? [];
  const operator = operators.find((one) => one === sign);
  // A shell removes the quotes of PromQL.
  const value = /^".*"$/s.test(rest) ? rest.slice(1, -1) : rest;
  if (operator !== undefined && isLabelName(label)) {
    const matcher = { label, operator, value };
    // Alone, a matcher that also takes what is empty is no selector.
    if (selectorProblem(`{__name__="up",${formatMatcher(matcher)}}`) === undefined) return matcher;
  }
  throw new CliError(`--selector ${text} is no matcher of a label: write such as cluster="eu"`);
}

function queryFlag(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const [metric, promql] = [text.slice(0, Math.max(0, at)), text.slice(at + 1).trim()];
  if (metric === "" || promql === "")
    throw new CliError(`--query ${text} has no metric or no query: write METRIC=PROMQL`);
  const problem = promqlProblem(promql);
  if (problem === undefined) return [metric, promql];
  throw new CliError(`--query ${metric} ${promql} is no PromQL: ${problem}`);
}

function headerFlag(text: string): readonly [string, string] {
  const [, name, value] = /^([\w-]+)=(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  // The value may be a credential.
  throw new CliError("--prometheus-header is no header: write NAME=VALUE");
}
