// `plimsoll metrics setup`: looks, proposes, proves, and prints what to apply.
import { messageOf } from "@plimsoll/component-base";
import { decide, type MetricSamples } from "@plimsoll/core";
import { readList, resourcePath } from "@plimsoll/kube";
import { PrometheusError } from "@plimsoll/prometheus";
import { type Recipe, recipes, recipesServedBy } from "@plimsoll/recipes";
import type { Cluster } from "../../cluster/cluster.ts";
import { openPrometheus, type PrometheusChoice, prometheusHeaders } from "../../cluster/connect.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { lookAround, type Surroundings } from "./look.ts";
import { noPrometheus } from "./no-prometheus.ts";
import { hpaOf, manifestsOf, nextSteps, printer, printManifests } from "./output.ts";
import { fewOf, type Proof, type ProveOptions, prove, whyMissing } from "./prove.ts";
import { createQuestions } from "./questions.ts";
import { createReader, type Reader, services } from "./reader.ts";

export interface SetupFlags extends PrometheusChoice {
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
  if (flags.prometheusUrl === undefined) throw new CliError(await noPrometheus(cluster, reader, object));
  const { tokenFile, caFile } = flags;
  const headers = prometheusHeaders(flags);
  const prometheus = await openPrometheus(flags.prometheusUrl, { tokenFile, caFile, seams, headers });
  try {
    const path = resourcePath({ group: "", version: "v1", resource: "pods" }, namespace);
    const pods = await readList<Pod>(cluster.client, path, { labelSelector: around.workload.selector });
    const options = {
      prometheus,
      nowMs: seams.nowMs(),
      signal: seams.signal,
      namespace,
      names: namesOf(around, pods),
    };
    const { proofs, problems } = await tried(ranked(around, recipe), { around, namespace, reader }, options);
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
    await printManifests(manifestsOf({ proof, workload: around.workload, namespace }), flags.out, seams);
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

const maxFronts = 20;

function foundLines(around: Surroundings, namespace: string): readonly string[] {
  const { workload, services: names, fronts, scalers } = around;
  const more = fronts.length - maxFronts;
  return [
    `Found in namespace ${namespace}:`,
    `  workload    ${workload.kind} ${workload.name}, replicas: ${workload.replicas}`,
    ...(names.length > 0 ? [`  Services    ${fewOf(names)}`] : []),
    ...(scalers.length > 0 ? [`  scaled by   ${fewOf(scalers)}`] : []),
    ...fronts.slice(0, maxFronts).map(({ resource, name, className, controller }) => {
      const kind = resource.startsWith("ingresses") ? "Ingress    " : "HTTPRoute  ";
      return `  ${kind} ${name}, class ${className || "unknown"}${controller === undefined ? "" : ` (${controller})`}`;
    }),
    ...(more > 0 ? [`  and ${more} more Ingresses or HTTPRoutes`] : []),
  ];
}

function namesOf({ workload, fronts, ...around }: Surroundings, pods: readonly Pod[]): ProveOptions["names"] {
  const ofFronts = (resource: string) =>
    fronts.filter((one) => one.resource === resource).map(({ name }) => name);
  return new Map([
    ["services", around.services],
    ["pods", pods.map(({ metadata }) => metadata.name)],
    ["ingresses.networking.k8s.io", ofFronts("ingresses.networking.k8s.io")],
    ["httproutes.gateway.networking.k8s.io", ofFronts("httproutes.gateway.networking.k8s.io")],
    ["gateways.gateway.networking.k8s.io", [...new Set(fronts.flatMap(({ gateway }) => gateway ?? []))]],
    ["inferencepools.inference.networking.k8s.io", around.pools],
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
  const expected = fronts.flatMap(({ controller = "" }) => recipesServedBy(controller));
  const isExpected = (recipe: Recipe) => expected.includes(recipe);
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

interface Where {
  readonly around: Surroundings;
  readonly namespace: string;
  readonly reader: Reader;
}

async function tried(
  candidates: readonly Ranked[],
  where: Where,
  options: ProveOptions,
): Promise<{ readonly proofs: readonly Proof[]; readonly problems: readonly string[] }> {
  const found = await Promise.all(
    candidates.map(async ({ recipe, isExpected }): Promise<Tried> => {
      const { problem, note } = recipe.isAmbiguous ? await sharedName(where) : {};
      if (problem !== undefined) return isExpected ? { problem: `${recipe.title}: ${problem}` } : {};
      const result = await prove(recipe, options);
      if ("proof" in result)
        return note === undefined
          ? result
          : { proof: { ...result.proof, notes: [...result.proof.notes, note] } };
      if (!isExpected) return {};
      return "problem" in result ? result : { problem: await whyMissing(recipe, options) };
    }),
  );
  return {
    proofs: found.flatMap(({ proof }) => proof ?? []),
    problems: [...unserved(where.around), ...found.flatMap(({ problem }) => problem ?? [])],
  };
}

/** Classes that the book does not know. */
function unserved({ fronts }: Surroundings): readonly string[] {
  return fronts.flatMap(({ name, controller }) =>
    controller === undefined || recipesServedBy(controller).length > 0
      ? []
      : [`${name} is served by ${controller}, for which there is no recipe`],
  );
}

/** Two Services whose namespace and name, joined by a dash, are the same; or that nobody knows. */
async function sharedName({ around, namespace: here, reader }: Where): Promise<Shared> {
  const all = await reader.list(services, "everywhere");
  if (all === undefined)
    return {
      note: "another Service may have the same name in these series, as a-b/c and a/b-c do: Services of other namespaces may not be read",
    };
  for (const service of around.services) {
    const joined = `${here}-${service}`;
    const other = all.find(
      ({ metadata: { name, namespace = "" } }) => `${namespace}-${name}` === joined && namespace !== here,
    );
    if (other !== undefined)
      return {
        problem: `Services ${here}/${service} and ${other.metadata.namespace ?? ""}/${other.metadata.name} share the name "${joined}" in its series: rename one of them`,
      };
  }
  return {};
}

interface Shared {
  readonly problem?: string;
  readonly note?: string;
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
