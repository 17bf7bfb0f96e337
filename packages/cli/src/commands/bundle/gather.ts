// Everything that a bundle has, part by part.
import { diagnose } from "@plimsoll/doctor";
import { type KubeObject, readList } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import type { ClusterFlags } from "../../cluster/flags.ts";
import { endpointFor, openDecisions } from "../../decisions/open.ts";
import { type ScalingObject, typedName } from "../../objects/scaling-object.ts";
import { type CliSeams, clockOf } from "../../seams.ts";
import { chooseRules } from "../doctor/choose-rules.ts";
import { gatherEvidence, withLimit } from "../doctor/gather/gather.ts";
import { createLists } from "../doctor/gather/lists.ts";
import { readAdapterRules } from "../doctor/gather/prometheus.ts";
import { objectsToCheck } from "../doctor/objects.ts";
import type { Names } from "./names.ts";
import { keepingAnswers, objectParts } from "./objects.ts";
import { jsonFile, orMissing, type Parts } from "./parts.ts";
import { processParts } from "./processes.ts";

export interface BundleFlags extends ClusterFlags {
  readonly out?: string;
  readonly includePods?: boolean;
  readonly since: string;
  readonly redact: "none" | "names";
  readonly force?: boolean;
}

export interface GatherRequest {
  readonly cluster: Cluster;
  readonly objects: readonly ScalingObject[];
  readonly sinceMs: number;
  readonly flags: BundleFlags;
  readonly seams: CliSeams;
  /** Where names are replaced: those of pods and nodes are added before any part. */
  readonly names: Names | undefined;
}

export async function* gatherParts(request: GatherRequest): Parts {
  const { cluster, objects, sinceMs, flags, seams, names } = request;
  if (names !== undefined) await addPodNames(cluster, objects, names);
  yield jsonFile("version.json", {
    plimsoll: seams.version,
    runtime: seams.runtime ?? "unknown",
    server: cluster.version.text,
    args: { since: flags.since, redact: flags.redact, includePods: flags.includePods === true },
  });
  yield* await orMissing(cluster, "the APIServices", async () => {
    const all = await readList<KubeObject>(cluster.client, "/apis/apiregistration.k8s.io/v1/apiservices");
    return jsonFile(
      "apiservices.json",
      all.filter(({ metadata }) => /metrics\.k8s\.io$|plimsoll\.dev$/.test(metadata.name)),
    );
  });
  const answers = new Map<string, unknown>();
  const keeping: Cluster = { ...cluster, client: keepingAnswers(cluster.client, answers) };
  const decisions = await openDecisions(keeping, flags, { seams, overrides: {} });
  const opened = await endpointFor({ cluster: keeping, flags, seams });
  const endpoint = opened.ok ? opened.endpoint : undefined;
  if (!opened.ok) yield { kind: "missing", what: "recorded decisions and shadow", reason: opened.reason };
  if (endpoint !== undefined) {
    const read = async () => jsonFile("shadow.json", await endpoint.shadow());
    yield* await orMissing(cluster, "the report of shadow", read);
  }
  const nowMs = seams.nowMs();
  const includesPods = flags.includePods === true;
  yield* objectParts({
    cluster: keeping,
    objects,
    decisions,
    endpoint,
    answers,
    sinceMs,
    nowMs,
    includesPods,
  });
  yield* await orMissing(cluster, "the findings", async () =>
    jsonFile("findings.json", await findings(request)),
  );
  yield* processParts(cluster, sinceMs);
}

async function findings({ cluster: opened, objects, seams }: GatherRequest): Promise<object> {
  const cluster = withLimit(opened);
  const lists = createLists(cluster, cluster.scope);
  // Names are those of one namespace.
  const names = cluster.scope !== undefined && objects.length === 1 ? objects.map(typedName) : [];
  const checked = await objectsToCheck(cluster, lists, names);
  const rules = chooseRules(undefined, undefined);
  const nowMs = seams.nowMs();
  const clock = clockOf(seams);
  const adapterRules = await readAdapterRules(cluster, {}, seams);
  const evidence = await gatherEvidence({
    cluster,
    lists,
    objects: checked.objects,
    rules,
    nowMs,
    clock,
    adapterRules,
  });
  return diagnose(evidence, rules);
}

/** Names of pods begin with those of their targets: whole, they are words of their own. */
async function addPodNames(cluster: Cluster, objects: readonly ScalingObject[], names: Names): Promise<void> {
  for (const namespace of new Set(objects.map(({ identity }) => identity.namespace))) {
    await orMissing(cluster, "the names of pods", async () => {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      for (const { metadata, spec } of await readList<PodNames>(cluster.client, path)) {
        names.add("pod", metadata.name);
        names.add("node", spec?.nodeName);
      }
      return undefined;
    });
  }
}

interface PodNames extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}
