// Finds metrics that share a name: the last one is served.
import type { InspectedMetric, RuleInspection } from "@plimsoll/rules";

/** Labels of nearly every series, whatever a rule is about. */
const incidental = new Set(["namespaces", "jobs.batch"]);

/** The same rules, each with a warning about its first metric that another series takes the place of. */
export function withDisplaced(inspected: readonly RuleInspection[]): readonly RuleInspection[] {
  const served = new Map<string, { readonly path: string; readonly series: string }>();
  for (const { path, metrics } of inspected)
    for (const metric of metrics) served.set(nameOf(path, metric), { path, series: metric.series });
  return inspected.map((rule) => {
    const isAllIncidental = rule.metrics.every(({ resource = "" }) => incidental.has(resource));
    for (const metric of rule.metrics) {
      if (!isAllIncidental && incidental.has(metric.resource ?? "")) continue;
      const { path, series } = served.get(nameOf(rule.path, metric)) ?? { path: rule.path, ...metric };
      if (path === rule.path && series === metric.series) continue;
      const name = metric.resource === undefined ? metric.metric : `${metric.resource}/${metric.metric}`;
      const other = path === rule.path ? `the series ${series}` : path;
      const warning = `${name} comes from ${other} instead, the last with this name: rename one with name.as`;
      return { ...rule, warnings: [...rule.warnings, warning] };
    }
    return rule;
  });
}

function nameOf(path: string, { resource, metric }: InspectedMetric): string {
  return JSON.stringify([path.split("[")[0], resource, metric]);
}
