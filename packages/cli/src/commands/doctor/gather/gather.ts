// Gathers the evidence that the chosen rules need: each list once, and eight requests at a time.
import { type Clock, createLimit, getOrAdd } from "@plimsoll/component-base";
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import { parseSelector, type Selector, SelectorError } from "@plimsoll/core/selector";
import {
  type AdapterRule,
  type Autoscaler,
  at,
  type Evidence,
  type FactName,
  type FactReadings,
  known,
  labelsOf,
  listOf,
  nameOf,
  noFacts,
  type ObjectEvidence,
  type Reading,
  type Rule,
  readAutoscaler,
  type Selection,
  unknown,
} from "@plimsoll/doctor";
import { isNotFound } from "@plimsoll/kube";
import type { CompiledRules } from "@plimsoll/rules";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { RecordedSource } from "../../../decisions/source.ts";
import type { Reads } from "../../metrics/reader.ts";
import { readAdapterNotes, readAdapterServices } from "./adapter.ts";
import { metricRuleNote, readFronts } from "./fronts.ts";
import { readInstallation } from "./installation.ts";
import { type ListedFact, listedFacts, otherKinds } from "./kinds.ts";
import { type Lists, unreadable } from "./lists.ts";
import { readCompiledRules } from "./prometheus.ts";
import { createRecords, type Records } from "./records.ts";
import { createSampleReader, decisionOf, type SampleReader } from "./samples.ts";
import { readSelectorPath, readTarget, type Target } from "./targets.ts";

/** What is examined, and how. */
export interface GatherRequest {
  readonly cluster: Cluster;
  readonly objects: readonly Autoscaler[];
  readonly rules: readonly Rule[];
  /** Shared with what found the objects. */
  readonly lists: Lists;
  readonly nowMs: number;
  readonly clock: Clock;
  /** The adapter's rules in Prometheus; given with --prometheus. */
  readonly adapterRules: Reading<readonly AdapterRule[]>;
  /** Absent: decisions are computed from what is read. */
  readonly recorded?: RecordedSource | undefined;
}

const maxRequests = 8;

/** What could not be read is in the evidence with the reason. */
export async function gatherEvidence(request: GatherRequest): Promise<Evidence> {
  const { cluster, nowMs, objects } = request;
  let compiled: Promise<Reading<CompiledRules>> | undefined;
  const pass: Pass = {
    ...request,
    reads: new Map(),
    compiledRules: () => {
      compiled ??= readCompiledRules(cluster);
      return compiled;
    },
    needed: new Set(request.rules.flatMap(({ needs, uses = [] }) => [...needs, ...uses])),
    samples: createSampleReader(cluster, request.clock),
    records: createRecords(request.recorded),
    targets: new Map(),
    autoscalers: new Map(),
    selections: new Map(),
  };
  const shared = await clusterFacts(pass);
  const gathered = await Promise.all(objects.map((object) => objectEvidence(pass, shared, object)));
  return { nowMs, objects: gathered, cluster: shared };
}

interface Pass extends GatherRequest {
  readonly needed: ReadonlySet<FactName>;
  readonly samples: SampleReader;
  readonly compiledRules: () => Promise<Reading<CompiledRules>>;
  readonly reads: Reads;
  readonly records: Records;
  readonly targets: Map<string, Promise<Target>>;
  readonly autoscalers: Map<string, Promise<Reading<readonly Autoscaler[]>>>;
  readonly selections: Map<string, Promise<Reading<readonly Selection[]>>>;
}

/** The same cluster, with a bound on the requests that are under way. */
export function withLimit(cluster: Cluster): Cluster {
  const limit = createLimit(maxRequests);
  const { client } = cluster;
  return { ...cluster, client: { ...client, request: (request) => limit(() => client.request(request)) } };
}

/** No rule that was chosen looks at it. */
const notNeeded = { ok: false, reason: "not needed" } as const;

async function clusterFacts(pass: Pass): Promise<FactReadings> {
  const { cluster, lists, needed } = pass;
  const when = <T>(name: FactName, read: () => Promise<Reading<T>>): Promise<Reading<T>> =>
    needed.has(name) ? read() : Promise.resolve(notNeeded);
  const [nodes, apiServices, customMetrics, externalMetrics, installation, metricRules, adapter] =
    await Promise.all([
      when("nodes", () => lists.list(listedFacts.nodes, "")),
      when("apiServices", () => lists.list(listedFacts.apiServices, "")),
      when("customMetrics", () => readServedNames(cluster, "custom.metrics.k8s.io")),
      when("externalMetrics", () => readServedNames(cluster, "external.metrics.k8s.io")),
      when("installation", () => readInstallation(cluster, () => pass.records.newestOfAll())),
      needed.has("metricRules") || needed.has("metricRuleNotes")
        ? lists.listAll(otherKinds.metricRules)
        : notNeeded,
      adapterFacts(pass),
    ]);
  return {
    ...noFacts(notNeeded.reason),
    nodes,
    apiServices,
    customMetrics,
    externalMetrics,
    installation,
    metricRules,
    metricRuleNotes: metricRules.ok ? known(metricRules.value.flatMap(metricRuleNote)) : metricRules,
    ...adapter,
    adapterRules: pass.adapterRules,
  };
}

async function adapterFacts({
  cluster,
  needed,
}: Pass): Promise<Pick<FactReadings, "adapterServices" | "adapterNotes">> {
  if (!needed.has("adapterServices") && !needed.has("adapterNotes"))
    return { adapterServices: notNeeded, adapterNotes: notNeeded };
  const services = await readAdapterServices(cluster);
  return {
    adapterServices: services.ok ? known(services.value.map(({ key }) => key)) : services,
    adapterNotes: needed.has("adapterNotes") ? await readAdapterNotes(cluster, services) : notNeeded,
  };
}

async function objectEvidence(pass: Pass, shared: FactReadings, object: Autoscaler): Promise<ObjectEvidence> {
  const { needed, lists } = pass;
  const names = (Object.keys(listedFacts) as ListedFact[]).filter(
    (name) => needed.has(name) && !("isOfCluster" in listedFacts[name]),
  );
  const [listed, own, hpas, wlas] = await Promise.all([
    Promise.all(
      names.map(async (name) => [name, await lists.list(listedFacts[name], object.namespace)] as const),
    ),
    ownFacts(pass, object),
    needed.has("hpas") ? autoscalersOf(pass, "hpas", object.namespace) : notNeeded,
    needed.has("wlas") ? autoscalersOf(pass, "wlas", object.namespace) : notNeeded,
  ]);
  return { object, facts: { ...shared, ...Object.fromEntries(listed), ...own, hpas, wlas } };
}

function autoscalersOf(
  pass: Pass,
  kind: "hpas" | "wlas",
  namespace: string,
): Promise<Reading<readonly Autoscaler[]>> {
  return getOrAdd(pass.autoscalers, `${kind} ${namespace}`, () => readAutoscalers(pass, kind, namespace));
}

async function readAutoscalers(
  { lists }: Pass,
  kind: "hpas" | "wlas",
  namespace: string,
): Promise<Reading<readonly Autoscaler[]>> {
  const listed = await lists.list(otherKinds[kind], namespace);
  return listed.ok ? known(listed.value.flatMap((raw) => readAutoscaler(raw) ?? [])) : listed;
}

type OwnFacts = Pick<
  FactReadings,
  | "target"
  | "scale"
  | "selectorPath"
  | "pods"
  | "namespacePods"
  | "selections"
  | "samples"
  | "decision"
  | "otherWriter"
  | "history"
  | "fronts"
>;

async function ownFacts(pass: Pass, object: Autoscaler): Promise<OwnFacts> {
  const { needed, cluster } = pass;
  const { target, scale, info } = await targetOf(pass, object);
  const selector = selectorOf(scale);
  const needsPods = (["pods", "decision", "selections", "samples"] as const).some((name) => needed.has(name));
  const pods = needsPods ? await podsOf(pass, object.namespace, selector) : notNeeded;
  const needsSamples = needed.has("samples") || needed.has("decision");
  const samples =
    needsSamples && selector.ok ? await pass.samples.read(object, String(selector.value)) : notNeeded;
  const read = { scale, pods, samples: selector.ok ? samples : selector };
  return {
    target,
    scale,
    pods,
    namespacePods: needed.has("namespacePods")
      ? await pass.lists.list(otherKinds.pods, object.namespace)
      : notNeeded,
    samples: read.samples,
    selectorPath: selector.ok ? known(undefined) : await readSelectorPath(cluster, info),
    selections: needed.has("selections")
      ? await getOrAdd(pass.selections, object.namespace, () => selectionsOf(pass, object.namespace))
      : notNeeded,
    decision: needed.has("decision") ? await newestDecision(pass, object, read) : notNeeded,
    otherWriter: needed.has("otherWriter") ? await pass.records.otherWriter(object) : notNeeded,
    history: needed.has("history") ? await pass.records.history(object) : notNeeded,
    fronts: needed.has("fronts")
      ? await readFronts({ cluster, lists: pass.lists, rules: pass.compiledRules, reads: pass.reads }, object)
      : notNeeded,
  };
}

/** The autoscaler's own, where it has one. */
async function newestDecision(
  { records, nowMs }: Pass,
  object: Autoscaler,
  read: Parameters<typeof decisionOf>[1],
): Promise<FactReadings["decision"]> {
  const recorded = await records.newest(object);
  return recorded.ok ? recorded : decisionOf(object, read, nowMs);
}

/** Several objects may name one target; it is read once. */
function targetOf(pass: Pass, object: Autoscaler): Promise<Target> {
  const { apiVersion, kind, name } = object.target;
  const key = [object.namespace, apiVersion, kind, name].join(" ");
  return getOrAdd(pass.targets, key, () => readTarget(pass.cluster, pass.lists, object));
}

function selectorOf(scale: Target["scale"]): Reading<Selector> {
  if (!scale.ok) return scale;
  if (!scale.value.found) return unknown("the target has no scale");
  if (scale.value.selector === "") return unknown("the target's scale has no selector");
  try {
    return known(parseSelector(scale.value.selector));
  } catch (error) {
    if (error instanceof SelectorError) return unknown("the target's selector cannot be read");
    throw error;
  }
}

async function podsOf(
  pass: Pass,
  namespace: string,
  selector: Reading<Selector>,
): Promise<Reading<readonly Fields[]>> {
  if (!selector.ok) return selector;
  const pods = await pass.lists.list(otherKinds.pods, namespace);
  if (!pods.ok) return pods;
  return known(pods.value.filter((pod) => selector.value.matches(labelsOf(at(pod, "metadata", "labels")))));
}

/** What the autoscalers of the namespace select; those without a usable target select nothing. */
async function selectionsOf(pass: Pass, namespace: string): Promise<Reading<readonly Selection[]>> {
  const lists = await Promise.all([
    autoscalersOf(pass, "hpas", namespace),
    autoscalersOf(pass, "wlas", namespace),
  ]);
  const all: Autoscaler[] = [];
  for (const list of lists) {
    if (!list.ok) return list;
    all.push(...list.value);
  }
  const selections: Selection[] = [];
  for (const object of all) {
    const { scale } = await targetOf(pass, object);
    const selector = selectorOf(scale);
    const pods = await podsOf(pass, namespace, selector);
    if (!selector.ok || !pods.ok) continue;
    selections.push({ object, selector: String(selector.value), pods: pods.value.map(nameOf) });
  }
  return known(selections);
}

/** The names that the custom and external metrics APIs serve. */
async function readServedNames(
  cluster: Cluster,
  group: "custom.metrics.k8s.io" | "external.metrics.k8s.io",
): Promise<Reading<readonly string[]>> {
  try {
    const [version] = await cluster.mapper.groupVersions(group);
    if (version === undefined) return known([]);
    const list = await cluster.client.request<Fields>({ path: `/apis/${group}/${version}` });
    return known(listOf(at(list, "resources")).map(({ name }) => textOf(name)));
  } catch (error) {
    return isNotFound(error) ? known([]) : unreadable(cluster, error, `list the metrics of ${group}`);
  }
}
