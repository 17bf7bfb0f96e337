// Checks PromQL that comes out of an object before a rule is made of it.
import { promqlProblem } from "@plimsoll/prometheus/syntax";
import type { Findings } from "./findings.ts";
import { maxPromql } from "./needed-rule.ts";

/** Deeper nesting than people write takes a parser long. */
const maxDepth = 100;

/** Whether a rule can be made of it; a problem says why not. */
export function isUsableQuery(query: string, path: string, findings: Findings): boolean {
  const message = sizeProblem(query) ?? promqlProblem(query);
  if (message === undefined) return true;
  if (sizeProblem(query) === undefined && isMetricsQl(query)) {
    findings.note({
      path,
      value: query.slice(0, 200),
      message: "is MetricsQL and is kept unchanged",
      remedy: "keep VictoriaMetrics as the server of its rule",
    });
    return true;
  }
  findings.problem({
    path,
    value: query.slice(0, 200),
    message: `is not a query: ${message}`,
    remedy: "correct it",
  });
  return false;
}

/** Operators, functions, and numbers that VictoriaMetrics has beyond PromQL. */
const beyond = [
  /\b(?:default|if|ifnot|keep_metric_names|limit)\b/i,
  /\bwith\s*\(/i,
  /\b(?:label_(?!join|replace)\w+|rollup\w*|(?:range|running|bitmap|drop|keep|remove|sort_by|limit|tfirst|tlast|tmin|tmax|outliers|topk|bottomk|histogram|hoeffding)_\w+|\w+_over_time|\w*_pure|\w*_prometheus|any|share|median|mode|distinct|geomean|quantiles|zscore|sum2|union|interpolate|alias|now|start|end|step|ru|ttf|lag|lifetime|scrape_interval|integrate|ideriv|smooth_exponential|prometheus_buckets|buckets_limit)\s*\(/i,
  /\b\d+(?:\.\d+)?(?:[KMGT]i?B?)\b/,
  /\[\d*(?:\.\d+)?i\b/,
];

/** What cannot be read as PromQL, and has whole strings and brackets, and a word of the other language. */
function isMetricsQl(query: string): boolean {
  const bare = query.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, "");
  if (/["'`]/.test(bare)) return false;
  const open: string[] = [];
  for (const char of bare) {
    if ("([{".includes(char)) open.push(char);
    const pair = { ")": "(", "]": "[", "}": "{" }[char];
    if (pair !== undefined && open.pop() !== pair) return false;
  }
  return open.length === 0 && beyond.some((pattern) => pattern.test(bare));
}

function sizeProblem(query: string): string | undefined {
  if (query.length > maxPromql)
    return `it has ${query.length} characters, and a query has ${maxPromql} at most`;
  let depth = 0;
  for (const char of query) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    if (depth > maxDepth) return `its brackets are nested more than ${maxDepth} deep`;
  }
  return undefined;
}

/** A query within another expression; a comment at its end must not hide what follows. */
export function within(query: string): string {
  const trimmed = query.trim();
  return trimmed.includes("#") || trimmed.includes("\n") ? `(\n${trimmed}\n)` : `(${trimmed})`;
}
