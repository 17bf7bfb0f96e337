// `plimsoll metrics setup`: looks, proposes, proves, and prints what to apply.
import { messageOf } from "@plimsoll/component-base";
import { decide, type MetricSamples } from "@plimsoll/core";
import { readList, resourcePath } from "@plimsoll/kube";
import { PrometheusError } from "@plimsoll/prometheus";
import { type Recipe, recipes } from "@plimsoll/recipes";
import type { Cluster } from "../../cluster/cluster.ts";
import { openPrometheus, prometheusHeaders } from "../../cluster/connect.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { createReader, lookAround, type Surroundings } from "./look.ts";
import { hpaOf, type Manifest, manifestsOf, printer, writeManifests } from "./output.ts";
import { type Proof, type ProveOptions, prove, whyMissing } from "./prove.ts";
import { createQuestions } from "./questions.ts";

export interface SetupFlags {
  readonly prometheusUrl?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly prometheusHeader?: readonly string[];
  readonly recipe?: string;
  readonly yes?: boolean;
  readonly out?: string;
}

interface Setup {
  readonly object: string | undefined;
  readonly flags: SetupFlags;
  readonly cluster: Cluster;
  readonly seams: CliSeams;
}

interface Pod {
  readonly metadata: { readonly name: string };
}

/** @throws CliError */
export async function setUpMetrics({ object, flags, cluster, seams }: Setup): Promise<ExitCode> {
  const recipe = recipeNamed(flags.recipe);
  const questions = createQuestions(seams, flags.yes === true);
  const reader = createReader(cluster);
  const around = await lookAround(cluster, object, reader, (names) =>
    questions.choose("Which workload?", names),
  );
  const { namespace } = cluster;
  const say = printer(seams);
  for (const line of foundLines(around, namespace)) say(line);
  for (const note of [...around.notes, ...new Set(reader.notes)]) say(`  missing     ${note}`);
  if (flags.prometheusUrl === undefined) throw new CliError(await noPrometheus(cluster, object));
  const { tokenFile, caFile } = flags;
  const prometheus = await openPrometheus(flags.prometheusUrl, {
    tokenFile,
    caFile,
    seams,
    headers: prometheusHeaders(flags),
  });
  try {
    const pods = await readList<Pod>(
      cluster.client,
      resourcePath({ group: "", version: "v1", resource: "pods" }, namespace),
      {
        labelSelector: around.workload.selector,
      },
    );
    const options = {
      prometheus,
      nowMs: seams.nowMs(),
      signal: seams.signal,
      namespace,
      names: namesOf(around, pods),
    };
    const { proofs, problems } = await tried(ranked(around, recipe), around, options, cluster);
    const [first] = proofs;
    if (first === undefined) {
      for (const problem of problems) say(`  missing     ${problem}`);
      say(
        `No recipe has a value for ${around.workload.kind} ${around.workload.name}. When a source is scraped and has traffic, run this again.`,
      );
      return 2;
    }
    const choices = proofs.map((proof) => `${proof.recipe.title}: ${valueText(proof)}`);
    const proof =
      proofs.length === 1 ? first : (proofs[await questions.choose("Which metric?", choices)] ?? first);
    for (const problem of problems) say(`  not used    ${problem}`);
    seams.writeOut("\n");
    for (const line of proofLines(proof, around, pods, options)) say(line);
    await print(manifestsOf({ proof, workload: around.workload, namespace }), flags.out, seams);
    seams.writeOut("\nNext:\n");
    for (const line of nextSteps(around, namespace, flags.out)) say(line);
    return 0;
  } catch (error) {
    if (!(error instanceof PrometheusError)) throw error;
    throw new CliError(`cannot query Prometheus at ${flags.prometheusUrl}: ${messageOf(error)}`);
  } finally {
    await prometheus.close();
  }
}

function recipeNamed(name: string | undefined): Recipe | undefined {
  const found = recipes.find((one) => one.name === name);
  if (found !== undefined || name === undefined) return found;
  throw new CliError(
    `--recipe ${name}: there is no such recipe; use one of ${recipes.map((one) => one.name).join(", ")}`,
  );
}

function foundLines({ workload, services, fronts }: Surroundings, namespace: string): readonly string[] {
  return [
    `Found in namespace ${namespace}:`,
    `  workload    ${workload.kind} ${workload.name}, replicas: ${workload.replicas}`,
    ...(services.length > 0 ? [`  Services    ${services.join(", ")}`] : []),
    ...fronts.map(({ resource, name, className, controller }) => {
      const kind = resource.startsWith("ingresses") ? "Ingress    " : "HTTPRoute  ";
      return `  ${kind} ${name}, class ${className || "unknown"}${controller === undefined ? "" : ` (${controller})`}`;
    }),
  ];
}

/** Where a Prometheus may be, and the next command. */
async function noPrometheus(cluster: Cluster, object: string | undefined): Promise<string> {
  const again = `plimsoll metrics setup${object === undefined ? "" : ` ${object}`} -n ${cluster.namespace} --prometheus-url http://127.0.0.1:9090`;
  const found = await createReader(cluster).list(
    { group: "", version: "v1", resource: "services" },
    "everywhere",
  );
  const named = found.find(({ metadata }) => /prometheus/.test(metadata.name));
  if (named === undefined)
    return `no Prometheus is named, and no Service here is called so: give its address, as in ${again}`;
  const { name, namespace = cluster.namespace } = named.metadata;
  return `no Prometheus is named: Service ${namespace}/${name} may be one. Run kubectl port-forward -n ${namespace} service/${name} 9090, then ${again}`;
}

function namesOf({ workload, services, fronts }: Surroundings, pods: readonly Pod[]): ProveOptions["names"] {
  const ofFronts = (resource: string) =>
    fronts.filter((one) => one.resource === resource).map(({ name }) => name);
  return new Map([
    ["services", services],
    ["pods", pods.map(({ metadata }) => metadata.name)],
    ["ingresses.networking.k8s.io", ofFronts("ingresses.networking.k8s.io")],
    ["httproutes.gateway.networking.k8s.io", ofFronts("httproutes.gateway.networking.k8s.io")],
    ["deployments.apps", workload.kind === "Deployment" ? [workload.name] : []],
  ]);
}

interface Ranked {
  readonly recipe: Recipe;
  /** Whether the class of an Ingress or a Gateway is served by it: then its absence is said. */
  readonly isExpected: boolean;
}

const kindOrder = ["gateway", "inference", "pods", "queue"];

function ranked({ fronts }: Surroundings, only: Recipe | undefined): readonly Ranked[] {
  if (only !== undefined) return [{ recipe: only, isExpected: true }];
  const controllers = fronts.flatMap(({ controller }) => controller ?? []);
  const isExpected = ({ ingressControllers, gatewayControllers }: Recipe) =>
    controllers.some((one) => ingressControllers.includes(one) || gatewayControllers.includes(one));
  // Every cluster has cAdvisor's series.
  const rank = (recipe: Recipe) =>
    isExpected(recipe) ? -1 : recipe.name === "cadvisor" ? kindOrder.length : kindOrder.indexOf(recipe.kind);
  return recipes
    .toSorted((a, b) => rank(a) - rank(b))
    .map((recipe) => ({ recipe, isExpected: isExpected(recipe) }));
}

interface Tried {
  readonly proof?: Proof;
  readonly problem?: string;
}

async function tried(
  candidates: readonly Ranked[],
  around: Surroundings,
  options: ProveOptions,
  cluster: Cluster,
): Promise<{ readonly proofs: readonly Proof[]; readonly problems: readonly string[] }> {
  const found = await Promise.all(
    candidates.map(async ({ recipe, isExpected }): Promise<Tried> => {
      const shared = recipe.isAmbiguous ? await sharedName(around.services, cluster) : undefined;
      if (shared !== undefined) return isExpected ? { problem: `${recipe.title}: ${shared}` } : {};
      const result = await prove(recipe, options);
      if ("proof" in result) return result;
      if (!isExpected) return {};
      return "problem" in result ? result : { problem: await whyMissing(recipe, options) };
    }),
  );
  return {
    proofs: found.flatMap(({ proof }) => proof ?? []),
    problems: [...unserved(around), ...found.flatMap(({ problem }) => problem ?? [])],
  };
}

/** Classes that the book does not know. */
function unserved({ fronts }: Surroundings): readonly string[] {
  const known = new Set(recipes.flatMap((one) => [...one.ingressControllers, ...one.gatewayControllers]));
  return fronts.flatMap(({ name, controller }) =>
    controller === undefined || known.has(controller)
      ? []
      : [`${name} is served by ${controller}, for which there is no recipe`],
  );
}

/** Two Services whose namespace and name, joined by a dash, are the same. */
async function sharedName(services: readonly string[], cluster: Cluster): Promise<string | undefined> {
  const all = await createReader(cluster).list(
    { group: "", version: "v1", resource: "services" },
    "everywhere",
  );
  for (const service of services) {
    const joined = `${cluster.namespace}-${service}`;
    const other = all.find(
      ({ metadata: { name, namespace = "" } }) =>
        `${namespace}-${name}` === joined && namespace !== cluster.namespace,
    );
    if (other !== undefined)
      return `Services ${cluster.namespace}/${service} and ${other.metadata.namespace ?? ""}/${other.metadata.name} share the name "${joined}" in its series: rename one of them`;
  }
  return undefined;
}

function valueText({ resource, name, metric, total, selector, items }: Proof): string {
  const labels = Object.entries(selector).map(([label, value]) => `${label}=${value}`);
  if (resource === undefined) return `${metric}{${labels.join(",")}} = ${total}`;
  return resource === "pods"
    ? `${metric} of the pods = ${total} (pods with a value: ${items.length})`
    : `${metric} of ${resource}/${name} = ${total}`;
}

function proofLines(
  proof: Proof,
  { workload }: Surroundings,
  pods: readonly Pod[],
  { namespace, nowMs }: ProveOptions,
): readonly string[] {
  const { recipe, notes } = proof;
  const hpa = hpaOf({ proof, workload, namespace });
  const { decision } = decide({
    nowMs,
    hpa,
    scale: {
      ok: true,
      specReplicas: workload.replicas,
      statusReplicas: workload.replicas,
      selector: workload.selector,
    },
    pods: { ok: true, pods },
    samples: [samplesOf(proof)],
  });
  const to = decision.scaleTo ?? workload.replicas;
  const moves =
    to === workload.replicas
      ? `keep replicas at ${to}`
      : `change replicas from ${workload.replicas} to ${to}`;
  return [
    `Proved with ${recipe.title}:`,
    `  series      ${recipe.series}`,
    `  value       ${valueText(proof)}`,
    `  effect      an autoscaler with a target of ${recipe.target.value} would ${moves} now`,
    ...[...notes, ...recipe.notes].map((note) => `  note        ${note}`),
  ];
}

function samplesOf({ resource, items, total }: Proof): MetricSamples {
  if (resource === undefined) return { values: items.map(({ value }) => ({ value })) };
  if (resource === "pods") return { pods: items.map(({ name = "", value }) => ({ name, value })) };
  return { value: total };
}

async function print(
  manifests: readonly Manifest[],
  folder: string | undefined,
  seams: CliSeams,
): Promise<void> {
  if (folder !== undefined) {
    await writeManifests(folder, manifests);
    seams.writeOut(`\nWrote ${manifests.map(({ file }) => `${folder}/${file}`).join(", ")}.\n`);
    return;
  }
  for (const { file, about, text } of manifests) seams.writeOut(`\n# ${file}: ${about}\n${text}`);
}

function nextSteps(
  { workload }: Surroundings,
  namespace: string,
  folder: string | undefined,
): readonly string[] {
  const place = folder === undefined ? "" : `${folder}/`;
  return [
    `  1. Add the rules of ${place}values.yaml to the chart's values, and upgrade the release.`,
    `     If you may not, save them as a rules file and run plimsoll convert FILE --to metric-rules --namespace ${namespace}`,
    "  2. Set the target to what one replica handles.",
    `  3. kubectl apply -f ${place}hpa.yaml`,
    `  4. plimsoll watch ${workload.name} -n ${namespace}`,
  ];
}
