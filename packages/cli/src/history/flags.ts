// The flags by which a command reads the history of autoscalers out of a Prometheus.
import type { RecordedSpan } from "@plimsoll/backtest";
import { instantMs } from "@plimsoll/core";
import {
  DurationError,
  formatMatcher,
  isLabelName,
  type Matcher,
  parsePrometheusDuration,
} from "@plimsoll/prometheus";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import type { CompiledRules } from "@plimsoll/rules";
import { Option } from "commander";
import { type PrometheusChoice, prometheusHeaders, prometheusOptions } from "../cluster/connect.ts";
import { type ConnectionFlags, choice, connectionOptions, durationFlag, repeated } from "../cluster/flags.ts";
import { readRulesFile } from "../input/read-rules.ts";
import { CliError, type CliSeams } from "../seams.ts";

/** As commander reads them. */
export interface HistoryFlags extends Omit<ConnectionFlags, "selector" | "allNamespaces">, PrometheusChoice {
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
      new Option("--prometheus-url <URL>", "Prometheus with the series of the autoscaler"),
      new Option("--since <DURATION|INSTANT>", "start of the history, or its length, for example 7d").default(
        "7d",
      ),
      new Option("--until <INSTANT>", "end of the history (default: now)"),
      new Option(
        "--selector <MATCHER>",
        'additional label matchers for the series, for example cluster="eu"; repeatable',
      ).argParser(repeated),
      new Option(
        "--rules <FILE>",
        "rules file of the metrics adapter, with the queries of Pods, Object, and External metrics",
      ),
      new Option("--query <METRIC=PROMQL>", "query of a metric; repeatable").argParser(repeated),
      choice("--level <LEVEL>", "how to read metrics: with the rules' queries, or from the status only", [
        "series",
        "status",
      ]),
      new Option("--manifest <FILE>", "manifest of the autoscaler at the end, instead of the cluster's"),
      new Option("--partial", "accept a history with gaps at its edges"),
      ...prometheusOptions(),
      new Option("--query-timeout <DURATION>", "timeout of one query").default("1m"),
      new Option("--save <FILE>", "save the recording in a file (.gz: compressed)"),
      new Option("--anonymize", "remove names from the file of --save"),
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

/** @throws CliError */
export async function readHistoryFlags(
  flags: HistoryFlags,
  seams: Pick<CliSeams, "readText" | "nowMs">,
): Promise<HistorySettings> {
  if (flags.anonymize === true && flags.save === undefined)
    throw new CliError("--anonymize removes names from the file of --save: set --save FILE");
  return {
    span: spanOf(flags, seams.nowMs()),
    selector: (flags.selector ?? []).map(matcherFlag),
    rules: flags.rules === undefined ? undefined : (await readRulesFile(flags.rules, seams)).rules,
    queries: Object.fromEntries((flags.query ?? []).map(queryFlag)),
    level: flags.level,
    isPartial: flags.partial === true,
    queryTimeoutMs: durationFlag("--query-timeout", flags.queryTimeout, 1000),
    headers: prometheusHeaders(flags),
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
    // Alone, a matcher that also takes what is empty is not a selector.
    if (selectorProblem(`{__name__="up",${formatMatcher(matcher)}}`) === undefined) return matcher;
  }
  throw new CliError(`--selector ${text} is not a label matcher: use one such as cluster="eu"`);
}

function queryFlag(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const [metric, promql] = [text.slice(0, Math.max(0, at)), text.slice(at + 1).trim()];
  if (metric === "" || promql === "")
    throw new CliError(`--query ${text} has no metric or no query: use METRIC=PROMQL`);
  const problem = promqlProblem(promql);
  if (problem === undefined) return [metric, promql];
  throw new CliError(`--query ${metric} ${promql} is not PromQL: ${problem}`);
}

const maxSpanMs = 2 * 365 * 86_400_000;

/** @throws CliError */
function spanOf(
  { since, until }: { readonly since: string; readonly until?: string },
  nowMs: number,
): RecordedSpan {
  const toMs = until === undefined ? nowMs : instantOf("--until", until, nowMs);
  const fromMs = instantOf("--since", since, toMs);
  if (toMs > nowMs) throw new CliError(`--until ${until} is in the future: omit it to read until now`);
  if (fromMs >= toMs)
    throw new CliError(
      `--since ${since} is not before the end of the history: use a duration such as 7d, or an earlier time`,
    );
  if (toMs - fromMs > maxSpanMs)
    throw new CliError(`--since ${since} is more than two years: use a value such as 28d`);
  return { fromMs, toMs };
}

function instantOf(flag: string, text: string, endMs: number): number {
  const atMs = instantMs(text);
  if (atMs !== undefined) return atMs;
  try {
    return endMs - parsePrometheusDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CliError(`${flag} ${text} is not a duration (7d) or a time (2026-11-15T00:00:00Z)`);
  }
}
