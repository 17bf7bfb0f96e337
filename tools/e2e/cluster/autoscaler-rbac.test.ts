import { deployment, parseManifests, runToEnd, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Ablation, ablationsOf, kubeconfigWith, lastRight, leaseOf } from "./ablation.ts";
import { atLast } from "./at-last.ts";
import {
  consequences,
  cronConsequences,
  following,
  scheduleConsequences,
  shardConsequences,
  whileItLasts,
} from "./autoscaler-consequences.ts";
import { startAutoscaler, startSharing } from "./autoscaler-members.ts";
import { createCronTrack, cronProbes, cronTrackObjects, withStatus } from "./cron-track.ts";
import { shipped, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { chart, succeeded } from "./operator.ts";
import { atomsOf, type Manifest, mayUse, type Right, requestToken, ruleOf } from "./rights.ts";
import { scalableKind } from "./targets.ts";
import { createTrack, trackLoads, trackObjects, trackTargets } from "./track.ts";

const manifests = parseManifests(deployment("autoscaler-rbac.yaml")) as readonly Manifest[];
const ablations = ablationsOf(manifests);
const { jobs, status, hpaOfJob, schedule } = cronProbes;

/** What a component grants beside the base. */
const componentOf = (name: string) =>
  parseManifests(shipped(`kustomize/components/${name}/rbac.yaml`)) as readonly Manifest[];

const tracks = 6;
const trackNames = Array.from({ length: tracks }, (_, index) => `track-${index}`);

const folder = fileFolder();
let cluster: TemporaryCluster;
let serial = 0;
/** The token of a user who may read everything. */
let reader: string;

const readers = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: reader, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: e2e-reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: reader, namespace: default }]
`;

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: trackNames.flatMap(trackLoads),
    workloads: [
      shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
      withStatus(shipped("crds/cronhorizontalpodautoscalers.autoscaling.alibabacloud.com.yaml")),
      scalableKind("Fleet", ".status.selector"),
    ].join("---\n"),
  });
  const { stack } = cluster;
  await stack.apply(readers);
  reader = await requestToken(stack.client, "default", "reader");
  await until("the custom kinds to be served", async () => {
    await stack.mapper.refresh();
    const kinds = await Promise.all([
      stack.mapper.byKind("e2e.example", "Fleet"),
      stack.mapper.byKind("autoscaling.plimsoll.dev", "WorkloadAutoscaler"),
    ]);
    return kinds.every(({ length }) => length > 0) || undefined;
  });
  await Promise.all(trackNames.map((track) => stack.apply(trackObjects(track), cronTrackObjects(track))));
});

afterAll(async () => {
  await cluster?.stop();
});

test("with the manifest, every probe succeeds", async () => {
  const whole: Ablation = { name: "whole", objects: manifests, remaining: lastRight(manifests) };
  expect(await failing(whole, { index: serial++, track: "track-0", expected: [] })).toEqual([]);
});

test("every part of the manifest, rules by resource and verb, has a consequence", () => {
  expect(ablations.map(({ name }) => name).toSorted()).toEqual(Object.keys(consequences).toSorted());
  expect(Object.values(consequences).filter((probes) => probes.length === 0)).toEqual([]);
});

test("without a part, exactly that fails which it is for", async () => {
  expect(await withoutEach(ablations, consequences, failing)).toEqual(sorted(consequences));
  expect(cluster.troubles).toEqual([]);
});

test.each([
  { component: "cron-compatibility", own: cronConsequences, others: [schedule], fails: failingCron },
  {
    component: "hpa-schedules",
    own: scheduleConsequences,
    others: [jobs, status, hpaOfJob, ...following("cronhorizontalpodautoscalers")],
    fails: failingCron,
  },
  // They need every lease of the namespace.
  { component: "shards", own: shardConsequences, others: [], fails: failingShards },
])("the same holds of $component beside it", async ({ component, own, others, fails }) => {
  const objects = componentOf(component);
  const parts = ablationsOf(objects);
  expect(parts.map(({ name }) => name).toSorted()).toEqual(Object.keys(own).toSorted());
  const all = [{ name: "nothing", objects, remaining: undefined }, ...parts];
  const expected = Object.fromEntries(
    Object.entries({ nothing: [], ...own }).map(([name, probes]) => [
      name,
      [...new Set([...probes, ...others])],
    ]),
  );
  expect(await withoutEach(all, expected, fails)).toEqual(sorted(expected));
});

test("of the leases of its namespace the autoscaler may use its own only", async () => {
  const index = serial++;
  const { stack } = cluster;
  await kubeconfigWith({ objects: manifests, remaining: lastRight(manifests) }, { stack, folder, index });
  const may = async (verb: string, name?: string) => {
    const lease = { group: "coordination.k8s.io", resource: "leases", namespace: "plimsoll", verb };
    return await mayUse(stack.client, `autoscaler-${index}`, name === undefined ? lease : { ...lease, name });
  };
  const own = leaseOf(index);
  await until("the rights to have come", async () => (await may("update", own)) || undefined);
  const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
  const allowed = async (name?: string) =>
    (await Promise.all(verbs.map(async (verb) => ((await may(verb, name)) ? [verb] : [])))).flat();
  expect(await allowed("kube-scheduler")).toEqual(["create"]);
  expect(await allowed(own)).toEqual(["get", "create", "update"]);
  expect(await allowed()).toEqual(["create"]);
});

type Consequences = Readonly<Record<string, readonly string[]>>;

function sorted(table: Consequences): Consequences {
  return Object.fromEntries(Object.entries(table).map(([name, probes]) => [name, probes.toSorted()]));
}

/** What fails without each part; a few at a time, each in a namespace that it has for itself. */
async function withoutEach(
  all: readonly Ablation[],
  table: Consequences,
  fails: typeof failing,
): Promise<Consequences> {
  const found: Record<string, readonly string[]> = {};
  const waiting = [...all];
  await Promise.all(
    trackNames.map(async (track) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const expected = table[next.name] ?? [];
        found[next.name] = await fails(next, { index: serial++, track, expected });
      }
    }),
  );
  return found;
}

test("in shadow, HPAs are decided without the writes that the manifest says can be left out", async () => {
  const isWrite = ({ resource, verb }: Right) =>
    ["horizontalpodautoscalers/status", "events"].includes(resource) ||
    (resource === "*/scale" && verb === "update");
  const objects = manifests.map((object): Manifest => {
    if (object.rules === undefined) return object;
    const rules = object.rules.flatMap(atomsOf).filter((atom) => !isWrite(atom));
    return { ...object, rules: rules.map(ruleOf) };
  });
  const index = serial++;
  const at = { stack: cluster.stack, folder, index };
  const own = await kubeconfigWith({ objects, remaining: lastRight(objects) }, at);
  const track = createTrack(cluster.stack, "track-1");
  await track.reset();
  const flags = ["--manage-hpas=none", `--leader-elect-resource-name=${leaseOf(index)}`];
  const { autoscaler, complaints, stop } = await startAutoscaler(
    { kubeconfig: own ?? "", reader, administrator: cluster.stack.kubeconfig },
    track,
    flags,
  );
  try {
    const wanted = await until("a decision about every HPA", () => {
      const latest = autoscaler.decisions
        .latest()
        .filter(({ resource }) => resource === "horizontalpodautoscalers");
      const counts = latest.map(
        ({ name, mode, decision }) => [name, mode, decision.desiredReplicas] as const,
      );
      const isThere = counts.filter(([, , count]) => count === 2).length === trackTargets.length - 1;
      return isThere ? counts : undefined;
    });
    expect(wanted.map(([, mode]) => mode)).toEqual(wanted.map(() => "shadow"));
    expect(complaints()).toEqual([]);
  } finally {
    await stop();
  }
});

test("with namespaces of the chart, who has a token reads decisions, and no right on objects is the cluster's", async () => {
  const namespace = "track-2";
  const values = ["autoscaler.serviceAccount.name=autoscaler", `autoscaler.watchNamespaces={${namespace}}`];
  const templates = ["rbac", "serviceaccount"].map((name) => `--show-only=templates/autoscaler/${name}.yaml`);
  const sets = values.map((value) => `--set=${value}`);
  const text = await runToEnd(inject("deployTools").helm, [
    "template",
    "plimsoll",
    chart,
    "--namespace=plimsoll",
    ...templates,
    ...sets,
  ]);
  const objects = parseManifests(succeeded(text)) as readonly Manifest[];
  const index = serial++;
  const whole: Ablation = { name: "chart", objects, remaining: lastRight(objects) };
  expect(await failing(whole, { index, track: namespace, expected: [] })).toEqual([]);
  const reviews = ["authentication.k8s.io", "authorization.k8s.io"];
  const rights = manifests
    .flatMap(({ rules = [] }) => rules.flatMap(atomsOf))
    .filter(({ group }) => !reviews.includes(group));
  expect(rights.length).toBeGreaterThan(20);
  const granted = await Promise.all(
    rights.map((right) =>
      mayUse(cluster.stack.client, `autoscaler-${index}`, { ...right, namespace: "default" }),
    ),
  );
  expect(rights.filter((_, at) => granted[at])).toEqual([]);
});

interface Turn {
  readonly index: number;
  readonly track: string;
  readonly expected: readonly string[];
}

/** The probes that fail without a part. */
async function failing(ablation: Ablation, options: Turn): Promise<readonly string[]> {
  const { stack } = cluster;
  const own = await kubeconfigWith(ablation, { stack, folder, index: options.index });
  if (own === undefined) return ["has a token"];
  const track = createTrack(stack, options.track);
  await track.reset();
  const access = { kubeconfig: own, reader, administrator: stack.kubeconfig };
  const leading = await startAutoscaler(access, track, [
    `--leader-elect-resource-name=${leaseOf(options.index)}`,
  ]);
  try {
    return await atLast(options.expected, async () => {
      const failures = [
        ...(await track.failing(leading.autoscaler)),
        ...leading.complaints(),
        ...(await leading.refusedReaders()).map((means) => `serves its decisions to who has a ${means}`),
      ];
      return failures.filter((probe) => !(whileItLasts[ablation.name] ?? []).includes(probe));
    });
  } finally {
    await leading.stop();
  }
}

/** The probes of what is beside the base that fail without a part. */
async function failingCron(ablation: Ablation, options: Turn): Promise<readonly string[]> {
  const { stack } = cluster;
  const objects = [...manifests, ...ablation.objects];
  const remaining = lastRight(ablation.objects);
  const own = (await kubeconfigWith({ objects, remaining }, { stack, folder, index: options.index })) ?? "";
  const track = createCronTrack(stack, options.track);
  await track.reset();
  const access = { kubeconfig: own, reader, administrator: stack.kubeconfig };
  const flags = [
    "--cron-hpa",
    "--manage-hpas=none",
    `--leader-elect-resource-name=${leaseOf(options.index)}`,
  ];
  const { complaints, stop } = await startAutoscaler(access, track, flags);
  try {
    return await atLast(options.expected, async () => [...(await track.failing()), ...complaints()]);
  } finally {
    await stop();
  }
}

/** The probes of several processes that fail without a part. */
async function failingShards(ablation: Ablation, options: Turn): Promise<readonly string[]> {
  const { stack } = cluster;
  const objects = [...manifests, ...ablation.objects];
  const remaining = lastRight([...ablation.objects, ...manifests]);
  const own = (await kubeconfigWith({ objects, remaining }, { stack, folder, index: options.index })) ?? "";
  const access = { kubeconfig: own, reader, administrator: stack.kubeconfig };
  const track = createTrack(stack, options.track);
  await track.reset();
  const sharing = await startSharing(access, stack.client, track, `shared-${options.index}`);
  try {
    return await atLast(options.expected, sharing.failing);
  } finally {
    await sharing.stop();
  }
}
