// Who owns each metric: a MetricRule of the namespace, a rule of the file, a backend; and who else could have served it.
import { compareText } from "@plimsoll/core/internal/values";
import { type BackendConfig, type FederatedGroup, loadFederation } from "@plimsoll/federation";
import { checkRuleObjects } from "@plimsoll/metric-rules";
import { readSources } from "@plimsoll/migration/manifests";
import { formatProblem, groupResourceOf, type RuleInspection } from "@plimsoll/rules";
import { readInput } from "../../input/read-input.ts";
import { CliError, type CliSeams } from "../../seams.ts";

/** One metric in one namespace, or in all others. */
export interface MetricOwner {
  readonly group: FederatedGroup;
  /** As discovery lists it. */
  readonly metric: string;
  /** Undefined: in all namespaces that have no MetricRule of the name. */
  readonly namespace: string | undefined;
  /** Such as "rules[0]", "MetricRule shop/rate" or "backend keda". */
  readonly owner: string;
  /** In the order in which they would serve it. */
  readonly others: readonly string[];
}

/** Where else metrics come from. */
export interface OtherOwners {
  readonly metricRules: readonly OwnedRule[];
  readonly backends: readonly BackendConfig[];
}

interface OwnedRule extends Pick<MetricOwner, "group" | "metric"> {
  readonly namespace: string;
  readonly name: string;
}

/** @throws CliError when a file cannot be read or used. */
export async function readOtherOwners(
  files: { readonly metricRules: readonly string[]; readonly federationConfig: string | undefined },
  namespaceLabel: string,
  seams: CliSeams,
): Promise<OtherOwners> {
  const metricRules: OwnedRule[] = [];
  for (const file of files.metricRules)
    metricRules.push(...ownedRules(await readInput(file, seams), file, namespaceLabel));
  const { federationConfig: file } = files;
  const backends = file === undefined ? [] : backendsOf(await readInput(file, seams), file);
  return { metricRules, backends };
}

function backendsOf(text: string, file: string): readonly BackendConfig[] {
  const loaded = loadFederation(text);
  if (loaded.ok) return loaded.config.backends;
  const [first] = loaded.problems;
  throw new CliError(first === undefined ? `${file} cannot be used` : formatProblem(file, first));
}

/** Those that are refused own nothing. */
function ownedRules(text: string, file: string, namespaceLabel: string): readonly OwnedRule[] {
  const { objects, problems } = readSources(text, file);
  const [problem] = problems;
  if (problem !== undefined) throw new CliError(`${file}:${problem.line}: ${problem.message}`);
  const rules = objects.filter(({ kind }) => kind === "MetricRule").map(({ value }) => value);
  const checked = checkRuleObjects(rules as never, { namespaceLabel, namespace: "default" });
  return checked.flatMap(({ namespace, name, decided }): readonly OwnedRule[] => {
    if (decided.type !== "accepted") return [];
    const { object, metric } = decided.rule;
    const group = object === undefined ? "external.metrics.k8s.io" : "custom.metrics.k8s.io";
    const listed = object === undefined ? metric : `${groupResourceOf(object.info)}/${metric}`;
    return [{ namespace, name, group, metric: listed }];
  });
}

/** By the names that the rules of the file give; sorted by metric, all namespaces first. */
export function ownersOf(
  inspected: readonly RuleInspection[],
  { metricRules, backends }: OtherOwners,
): readonly MetricOwner[] {
  const ofFile = namesOfFile(inspected);
  const owners: MetricOwner[] = [];
  for (const [key, paths] of ofFile) {
    const [group = "", metric = ""] = key.split(" ");
    const of = { group: group as FederatedGroup, metric, namespace: undefined };
    const [owner = "", ...more] = paths;
    owners.push({ ...of, owner, others: [...more, ...matching(backends, of)] });
  }
  for (const { group, metric, namespace, name } of metricRules) {
    const others = [
      ...(ofFile.get(`${group} ${metric}`) ?? []),
      ...matching(backends, { group, metric, namespace }),
    ];
    owners.push({ group, metric, namespace, owner: `MetricRule ${namespace}/${name}`, others });
  }
  return owners.toSorted(
    (a, b) => compareText(a.metric, b.metric) || compareText(a.namespace ?? "", b.namespace ?? ""),
  );
}

/** The adapter lets later rules of the file win over earlier ones. */
function namesOfFile(inspected: readonly RuleInspection[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { path, metrics } of inspected.toReversed()) {
    if (path.startsWith("resourceRules")) continue;
    const group = path.startsWith("externalRules") ? "external.metrics.k8s.io" : "custom.metrics.k8s.io";
    for (const { metric, resource } of metrics) {
      const key = `${group} ${resource === undefined ? metric : `${resource}/${metric}`}`;
      const paths = names.get(key) ?? [];
      if (!paths.includes(path)) paths.push(path);
      names.set(key, paths);
    }
  }
  return names;
}

/** By `match` alone: what a backend lists is known to the adapter that it is behind. */
function matching(
  backends: readonly BackendConfig[],
  { group, metric, namespace }: Pick<MetricOwner, "group" | "metric" | "namespace">,
): readonly string[] {
  const name = metric.split("/").at(-1) ?? "";
  return backends.flatMap(({ name: backend, groups, match }): readonly string[] => {
    const { metrics, labelSelectorKeys, namespaces } = match;
    const isWanted = metrics?.some((pattern) => pattern.matches(name)) ?? labelSelectorKeys !== undefined;
    const isHere = namespace === undefined || (namespaces?.some((one) => one.matches(namespace)) ?? true);
    if (!groups.includes(group) || !isWanted || !isHere) return [];
    const labels =
      labelSelectorKeys === undefined ? "" : `, for selectors with ${labelSelectorKeys.join(" or ")}`;
    return [`backend ${backend}${labels}`];
  });
}

/** Lines of the text report. */
export function ownerLines(owners: readonly MetricOwner[]): readonly string[] {
  return [
    "",
    "owners",
    ...owners.map(({ metric, namespace, owner, others }) => {
      const where = namespace === undefined ? "" : ` in ${namespace}`;
      const also = others.length === 0 ? "" : `; not asked: ${others.join("; ")}`;
      return `  ${metric}${where}: ${owner}${also}`;
    }),
  ];
}
