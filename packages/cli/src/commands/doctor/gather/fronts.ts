// What metrics describe, such as an Ingress or a Service behind one: who serves it, and whose series its metrics are from.
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import {
  type Autoscaler,
  at,
  type FrontFact,
  frontMetrics,
  known,
  type Metric,
  type MetricRuleNote,
  nameOf,
  namespaceOf,
  type Reading,
  unknown,
} from "@plimsoll/doctor";
import { knownOfConfined, recipesOf, recipesServedBy } from "@plimsoll/recipes";
import type { CompiledRule, CompiledRules } from "@plimsoll/rules";
import type { Cluster } from "../../../cluster/cluster.ts";
import {
  controllerOf,
  type Front,
  gateway,
  ingressFront,
  networking,
  routeFront,
} from "../../metrics/fronts.ts";
import { isBackend } from "../../metrics/look.ts";
import { createReader, type Reader, type Reads, type Wire } from "../../metrics/reader.ts";
import { otherKinds } from "./kinds.ts";
import { type Lists, unreadable } from "./lists.ts";

export interface FrontsRequest {
  readonly cluster: Cluster;
  readonly lists: Lists;
  /** Of the adapter; read once. */
  readonly rules: () => Promise<Reading<CompiledRules>>;
  /** Of classes and Gateways, which many objects share. */
  readonly reads?: Reads;
}

/** One for each metric that describes one which is there. */
export async function readFronts(
  request: FrontsRequest,
  object: Autoscaler,
): Promise<Reading<readonly FrontFact[]>> {
  const { cluster } = request;
  const { namespace } = object;
  const reader = createReader({ ...cluster, namespace }, request.reads);
  const fronts: FrontFact[] = [];
  try {
    for (const index of frontMetrics(object)) {
      const metric = object.metrics[index];
      if (metric?.described === undefined) continue;
      const { kind, name } = metric.described;
      const served = await servedBy(metric.described, namespace, reader);
      const [denied] = reader.denied;
      if (denied !== undefined) return unknown(denied);
      if (served === undefined) continue;
      const found = await rulesOf(request, namespace, metric);
      if (!found.ok) return found;
      const rule = found.value.at(-1)?.path;
      if (rule !== undefined)
        fronts.push({ index, kind, name, ...served, rule, sources: sourcesOf(found.value, kind) });
    }
    return known(fronts);
  } catch (error) {
    return unreadable(cluster, error, "read what the metrics describe");
  }
}

/**
 * Of all rules. None where a source may have them that serves no class, as a proxy without a controller does; and none
 * of a Service that the source may serve without an Ingress, by a route of another namespace or of another kind.
 */
function sourcesOf(rules: readonly Source[], kind: string): readonly string[] {
  const each = rules.map(({ promql }) => recipesOf(promql));
  const all = each.flat();
  const isCertain = all.every(({ ingressControllers, gatewayControllers: gateways }) =>
    kind === "Service"
      ? ingressControllers.length > 0 && gateways.length === 0
      : ingressControllers.length + gateways.length > 0,
  );
  const isKnown = each.every((recipes) => recipes.length > 0);
  return isCertain && isKnown ? [...new Set(all.map(({ title }) => title))] : [];
}

type Served = Pick<FrontFact, "classes" | "servedBy">;

async function servedBy(
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string,
  reader: Reader,
): Promise<Served | undefined> {
  if (kind === "Service") return servedService(name, namespace, reader);
  const resource = kind === "Ingress" ? networking("ingresses") : gateway(`${kind.toLowerCase()}s`);
  const found = await reader.get(resource, name, namespace);
  if (found === undefined) return undefined;
  if (kind === "Ingress") return servedOf([await ingressFront(found, reader)]);
  if (kind === "HTTPRoute") return servedOf(await routeFronts(found, namespace, reader));
  const className = found.spec?.gatewayClassName ?? "";
  return servedOf([{ className, controller: await controllerOf(className, `${namespace}/${name}`, reader) }]);
}

/** By every Ingress and HTTPRoute of its namespace that leads to it; undefined where none does. */
async function servedService(
  service: string,
  namespace: string,
  reader: Reader,
): Promise<Served | undefined> {
  const [ingresses = [], routes = []] = await Promise.all([
    reader.list(networking("ingresses")),
    reader.list(gateway("httproutes")),
  ]);
  const leads = (one: Wire) => isBackend(one, service, namespace);
  const fronts = await Promise.all([
    ...ingresses.filter(leads).map(async (one) => [await ingressFront(one, reader)]),
    ...routes.filter(leads).map((one) => routeFronts(one, namespace, reader)),
  ]);
  return fronts.length === 0 ? undefined : servedOf(fronts.flat());
}

/** The Gateway API allows no more. */
const maxParents = 32;

function routeFronts(route: Wire, namespace: string, reader: Reader): Promise<readonly Front[]> {
  const parents = (route.spec?.parentRefs ?? []).slice(0, maxParents);
  return Promise.all(parents.map((parent) => routeFront(route, namespace, reader, parent)));
}

function servedOf(
  all: readonly { readonly className: string; readonly controller: string | undefined }[],
): Served {
  // Others took over the class of a retired controller.
  const titles = all.map(({ controller = "" }) =>
    recipesServedBy(controller).flatMap(({ title, retired }) => (retired === undefined ? title : [])),
  );
  return {
    classes: [...new Set(all.map(({ className, controller = "unknown" }) => `${className} (${controller})`))],
    // With one that nobody knows, the series may be from there.
    servedBy: titles.some((one) => one.length === 0) ? [] : [...new Set(titles.flat())],
  };
}

interface Source {
  readonly path: string;
  readonly promql: string;
}

/** A MetricRule of the namespace comes before the adapter's file, of which the last rule that has series counts. */
async function rulesOf(
  { lists, rules }: FrontsRequest,
  namespace: string,
  metric: Metric,
): Promise<Reading<readonly Source[]>> {
  const own = await lists.list(otherKinds.metricRules, namespace);
  if (!own.ok) return own;
  const found = own.value.find(
    (one) =>
      textOf(at(one, "spec", "type")) === "Object" &&
      (textOf(at(one, "spec", "metric")) || nameOf(one)) === metric.name,
  );
  if (found !== undefined)
    return known([
      { path: `MetricRule ${namespace}/${nameOf(found)}`, promql: textOf(at(found, "spec", "query")) },
    ]);
  const file = await rules();
  if (!file.ok) return file;
  const describing = file.value.custom.filter(
    (rule) => mayDescribe(rule, metric.described?.kind ?? "") && rule.possibleNames.has(metric.name),
  );
  return known(describing.map(({ path, seriesQuery = "" }) => ({ path, promql: seriesQuery })));
}

function mayDescribe({ resources: { overrides, template } }: CompiledRule, kind: string): boolean {
  const names = [kind, `${kind}s`, `${kind}es`].map((name) => name.toLowerCase());
  return template !== undefined || overrides.some(({ resource }) => names.includes(resource.toLowerCase()));
}

/** What the book says of a MetricRule: of the query that is sent, which its status has. */
export function metricRuleNote(rule: Fields): readonly MetricRuleNote[] {
  const [namespace, name] = [namespaceOf(rule), nameOf(rule)];
  const query = textOf(at(rule, "status", "query"));
  const note = knownOfConfined({ query, namespace }, at(rule, "spec", "type") === "Pods");
  return note.mistakes.length === 0 && note.whyEmpty === undefined ? [] : [{ namespace, name, ...note }];
}
