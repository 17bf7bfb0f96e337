import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Autoscaler,
  compileConfig,
  createAutoscaler,
  type Logger,
  readCommandLine,
} from "@plimsoll/autoscaler";
import { systemClock } from "@plimsoll/component-base";
import { connect, type KubeClient } from "@plimsoll/kube";
import { deployment, parseManifests, runToEnd, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ablation, ablationsOf, kubeconfigWith, lastRight } from "./ablation.ts";
import { createCronTrack, cronProbes, cronTrackObjects, withStatus } from "./cron-track.ts";
import { shipped, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { atomsOf, type Manifest, type Right, requestToken, ruleOf } from "./rights.ts";
import { scalableKind } from "./targets.ts";
import { createTrack, type Track, trackLoads, trackObjects, trackTargets } from "./track.ts";

const manifests = parseManifests(deployment("autoscaler-rbac.yaml")) as readonly Manifest[];

const scales = trackTargets.map(({ title }) => `scales ${title}`);
const knows = trackTargets
  .filter(({ isBuiltIn }) => isBuiltIn)
  .map(({ title }) => `knows who scaled ${title}`);
const withExternal = trackTargets.filter(({ metric }) => metric === "queue").map(({ title }) => title);
const byExternal = [...scales, ...knows].filter((probe) =>
  withExternal.some((title) => probe.endsWith(title)),
);
const evaluation = [
  ...scales,
  ...knows,
  "writes the status of an HPA",
  "writes the status of a WorkloadAutoscaler",
  "writes events",
  "counts an event that comes again",
];
const shared = ["holds all slots", "keeps its slots", "collects a member that is gone"];
const inCluster = "ClusterRole plimsoll-autoscaler:";
const onLeases = "Role plimsoll-autoscaler-leases:";
const following = (resource: string) => [`follows ${resource}`];
const about = (title: string) => [`knows who scaled ${title}`];

/**
 * What stops working without each part, by the names of the probes. A part that is not in here, or without which
 * nothing stops, is one that the autoscaler must not be granted.
 */
const consequences: Readonly<Record<string, readonly string[]>> = {
  "ServiceAccount autoscaler": ["has a token"],
  [`${inCluster} list horizontalpodautoscalers`]: [...evaluation, ...following("horizontalpodautoscalers")],
  [`${inCluster} watch horizontalpodautoscalers`]: following("horizontalpodautoscalers"),
  [`${inCluster} update horizontalpodautoscalers/status`]: ["writes the status of an HPA"],
  // HPAs are managed without the objects of this kind.
  [`${inCluster} list workloadautoscalers`]: [
    "scales the target of a WorkloadAutoscaler",
    "writes the status of a WorkloadAutoscaler",
    ...following("workloadautoscalers"),
  ],
  [`${inCluster} watch workloadautoscalers`]: following("workloadautoscalers"),
  [`${inCluster} update workloadautoscalers/status`]: ["writes the status of a WorkloadAutoscaler"],
  [`${inCluster} list pods`]: [...evaluation, ...following("pods")],
  [`${inCluster} watch pods`]: following("pods"),
  [`${inCluster} get deployments`]: about("a Deployment"),
  [`${inCluster} list deployments`]: following("deployments"),
  [`${inCluster} watch deployments`]: following("deployments"),
  [`${inCluster} get statefulsets`]: about("a StatefulSet"),
  [`${inCluster} list statefulsets`]: following("statefulsets"),
  [`${inCluster} watch statefulsets`]: following("statefulsets"),
  [`${inCluster} get replicasets`]: about("a ReplicaSet"),
  [`${inCluster} list replicasets`]: following("replicasets"),
  [`${inCluster} watch replicasets`]: following("replicasets"),
  [`${inCluster} get replicationcontrollers`]: about("a ReplicationController"),
  [`${inCluster} list replicationcontrollers`]: following("replicationcontrollers"),
  [`${inCluster} watch replicationcontrollers`]: following("replicationcontrollers"),
  [`${inCluster} get */scale`]: ["scales a custom kind"],
  [`${inCluster} update */scale`]: [...scales, ...knows],
  [`${inCluster} list pods.metrics.k8s.io`]: ["scales a StatefulSet", ...about("a StatefulSet")],
  [`${inCluster} get *.custom.metrics.k8s.io`]: ["scales a Deployment", ...about("a Deployment")],
  [`${inCluster} list *.external.metrics.k8s.io`]: byExternal,
  [`${inCluster} create tokenreviews`]: ["serves its decisions to who may read them"],
  [`${inCluster} create subjectaccessreviews`]: ["serves its decisions to who may read them"],
  [`${inCluster} create events`]: ["writes events", "counts an event that comes again"],
  [`${inCluster} patch events`]: ["counts an event that comes again"],
  "ClusterRoleBinding plimsoll-autoscaler": [
    ...evaluation,
    "serves its decisions to who may read them",
    ...following("horizontalpodautoscalers"),
    ...following("workloadautoscalers"),
    ...following("pods"),
  ],
  [`${onLeases} get leases`]: [...evaluation, "keeps its lease"],
  [`${onLeases} list leases`]: shared,
  [`${onLeases} create leases`]: [...evaluation, "keeps its lease", ...shared],
  [`${onLeases} update leases`]: ["keeps its lease", "keeps its slots", "collects a member that is gone"],
  [`${onLeases} delete leases`]: ["keeps its slots", "collects a member that is gone"],
  "RoleBinding plimsoll-autoscaler-leases": [...evaluation, "keeps its lease", ...shared],
};

/** It works until its lease runs out then; how far it comes is a matter of luck. */
const whileItLasts: Readonly<Record<string, readonly string[]>> = {
  [`${onLeases} update leases`]: [...evaluation, "holds all slots"],
};

const ablations = ablationsOf(manifests);

/** What a component grants beside the base. */
const componentOf = (name: string) =>
  parseManifests(shipped(`kustomize/components/${name}/rbac.yaml`)) as readonly Manifest[];

const { jobs, status, hpaOfJob, schedule } = cronProbes;
const inCron = "ClusterRole plimsoll-cron-hpa:";
const cronConsequences: Readonly<Record<string, readonly string[]>> = {
  [`${inCron} get cronhorizontalpodautoscalers`]: [jobs, status, hpaOfJob],
  [`${inCron} list cronhorizontalpodautoscalers`]: [
    jobs,
    status,
    hpaOfJob,
    ...following("cronhorizontalpodautoscalers"),
  ],
  [`${inCron} watch cronhorizontalpodautoscalers`]: following("cronhorizontalpodautoscalers"),
  [`${inCron} patch cronhorizontalpodautoscalers`]: [status],
  [`${inCron} patch cronhorizontalpodautoscalers/status`]: [status],
  [`${inCron} get horizontalpodautoscalers`]: [hpaOfJob],
  [`${inCron} patch horizontalpodautoscalers`]: [hpaOfJob],
  "ClusterRoleBinding plimsoll-cron-hpa": [
    jobs,
    status,
    hpaOfJob,
    ...following("cronhorizontalpodautoscalers"),
  ],
};
const inSchedules = "ClusterRole plimsoll-hpa-schedules:";
const scheduleConsequences: Readonly<Record<string, readonly string[]>> = {
  [`${inSchedules} get horizontalpodautoscalers`]: [schedule],
  [`${inSchedules} patch horizontalpodautoscalers`]: [schedule],
  [`${inSchedules} get workloadautoscalers`]: [schedule],
  [`${inSchedules} patch workloadautoscalers`]: [schedule],
  "ClusterRoleBinding plimsoll-hpa-schedules": [schedule],
};

const tracks = 6;
const trackNames = Array.from({ length: tracks }, (_, index) => `track-${index}`);
/** More than two periods, and than two tries for a lease. */
const restMs = 1500;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-autoscaler-rbac-"));
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
}, 180_000);

afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test("with the manifest, every probe succeeds", async () => {
  const whole: Ablation = { name: "whole", objects: manifests, remaining: lastRight(manifests) };
  expect(await failing(whole, { index: serial++, track: "track-0", expected: [] })).toEqual([]);
}, 60_000);

test("every part of the manifest, rules by resource and verb, has a consequence", () => {
  expect(ablations.map(({ name }) => name).toSorted()).toEqual(Object.keys(consequences).toSorted());
  expect(Object.values(consequences).filter((probes) => probes.length === 0)).toEqual([]);
});

test("without a part, exactly that fails which it is for", { timeout: 240_000 }, async () => {
  expect(await withoutEach(ablations, consequences, failing)).toEqual(sorted(consequences));
  expect(cluster.troubles).toEqual([]);
});

test.each([
  { component: "cron-compatibility", own: cronConsequences, others: [schedule] },
  {
    component: "hpa-schedules",
    own: scheduleConsequences,
    others: [jobs, status, hpaOfJob, ...following("cronhorizontalpodautoscalers")],
  },
])("the same holds of $component beside it", { timeout: 120_000 }, async ({ component, own, others }) => {
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
  expect(await withoutEach(all, expected, failingCron)).toEqual(sorted(expected));
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
  const flags = ["--manage-hpas=none", `--leader-elect-resource-name=leader-${index}`];
  const { autoscaler, complaints, stop } = await startAutoscaler(own ?? "", track, flags);
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
}, 60_000);

/** The probes that fail without a part. */
async function failing(
  ablation: Ablation,
  options: { readonly index: number; readonly track: string; readonly expected: readonly string[] },
): Promise<readonly string[]> {
  const { stack } = cluster;
  const own = await kubeconfigWith(ablation, { stack, folder, index: options.index });
  if (own === undefined) return ["has a token"];
  const track = createTrack(stack, options.track);
  await track.reset();
  const leading = await startAutoscaler(own, track, [`--leader-elect-resource-name=leader-${options.index}`]);
  // What one process is good for is tried with every part; what two are for, with the parts that can be for it.
  const isShared = ablation.name.includes("leases") || ablation.name === "whole";
  const sharing = isShared ? await startSharing(own, track, `shared-${options.index}`) : undefined;
  try {
    return await atLast(options.expected, async () => {
      const failures = [
        ...(await track.failing(leading.autoscaler)),
        ...leading.complaints(),
        ...((await leading.servesDecisions()) ? [] : ["serves its decisions to who may read them"]),
        ...(sharing === undefined ? [] : await sharing.failing()),
      ];
      return failures.filter((probe) => !(whileItLasts[ablation.name] ?? []).includes(probe));
    });
  } finally {
    await Promise.all([leading.stop(), sharing?.stop()]);
  }
}

/** The probes of what is beside the base that fail without a part. */
async function failingCron(
  ablation: Ablation,
  options: { readonly index: number; readonly track: string; readonly expected: readonly string[] },
): Promise<readonly string[]> {
  const { stack } = cluster;
  const objects = [...manifests, ...ablation.objects];
  const remaining = lastRight(ablation.objects);
  const own = (await kubeconfigWith({ objects, remaining }, { stack, folder, index: options.index })) ?? "";
  const track = createCronTrack(stack, options.track);
  await track.reset();
  const flags = ["--cron-hpa", "--manage-hpas=none", `--leader-elect-resource-name=leader-${options.index}`];
  const { complaints, stop } = await startAutoscaler(own, track, flags);
  try {
    return await atLast(options.expected, async () => [...(await track.failing()), ...complaints()]);
  } finally {
    await stop();
  }
}

/** What fails once it is what is expected, and stays so, or after half a minute. */
async function atLast(
  expected: readonly string[],
  ask: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const wanted = JSON.stringify(expected.toSorted());
  let failures: readonly string[] = [];
  let since: number | undefined;
  const isSettled = async () => {
    failures = (await ask()).toSorted();
    since = JSON.stringify(failures) === wanted ? (since ?? performance.now()) : undefined;
    return (since !== undefined && performance.now() - since > restMs) || undefined;
  };
  await until("the expected failures", isSettled, { timeoutMs: 30_000, everyMs: 250 }).catch(() => {});
  return failures;
}

interface Running {
  readonly autoscaler: Autoscaler;
  readonly port: number;
  /** An administrator gets them. */
  servesDecisions(): Promise<boolean>;
  /** What the log complains of, as names of probes. */
  complaints(): readonly string[];
  stop(): Promise<void>;
}

async function startAutoscaler(
  kubeconfig: string,
  track: Pick<Track, "namespace"> & { readonly between?: (client: KubeClient) => KubeClient },
  flags: readonly string[],
): Promise<Running> {
  const compiled = compileConfig(
    readCommandLine([
      "--manage-hpas=all",
      `--namespace=${track.namespace}`,
      "--horizontal-pod-autoscaler-sync-period=500ms",
      "--horizontal-pod-autoscaler-downscale-stabilization=0s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
      "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
      "--leader-elect-lease-duration=2s",
      "--leader-elect-renew-deadline=1500ms",
      "--leader-elect-retry-period=300ms",
      "--leader-elect-resource-namespace=plimsoll",
      "--port=0",
      "--secure-port=0",
      ...flags,
    ]),
  );
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  const complaints = new Set<string>();
  const listen = (fields: object, message: string): void => {
    const { resource } = fields as { readonly resource?: string };
    if (message.startsWith("watch failed")) complaints.add(`follows ${resource ?? "?"}`);
    if (message.startsWith("coordination failed")) complaints.add("keeps its lease");
  };
  const log: Logger = { debug: () => {}, info: () => {}, warn: listen, error: listen };
  const client = await connect({ kubeconfig, userAgent: "plimsoll-e2e" });
  const autoscaler = createAutoscaler(compiled.config, {
    client: track.between?.(client) ?? client,
    clock: systemClock,
    log,
    identity: `member-${track.namespace}`,
  });
  const { port, securePort } = await autoscaler.start();
  let hasServed = false;
  return {
    autoscaler,
    port,
    async servesDecisions() {
      const decisions = `https://localhost:${securePort}/apis/decisions/v1`;
      const ask = ["-skf", "-H", `Authorization: Bearer ${reader}`, decisions];
      hasServed ||= (await runToEnd("curl", ask)).code === 0;
      return hasServed;
    },
    complaints: () => [...complaints],
    async stop() {
      await autoscaler.stop();
      await client.close();
    },
  };
}

/** A member with nothing to evaluate, beside one that is gone. */
async function startSharing(kubeconfig: string, track: Track, name: string) {
  const { client } = cluster.stack;
  const leases = "/apis/coordination.k8s.io/v1/namespaces/plimsoll/leases";
  const ghost = `${name}-member-ghost`;
  await client.request({
    method: "POST",
    path: leases,
    body: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: ghost, labels: { "coordination.plimsoll.dev/group": name } },
      spec: { holderIdentity: "ghost", leaseDurationSeconds: 1 },
    },
  });
  const member = await startAutoscaler(kubeconfig, { ...track, namespace: "kube-public" }, [
    "--shards=2",
    `--leader-elect-resource-name=${name}`,
  ]);
  let hasHeldAll = false;
  return {
    stop: member.stop,
    async failing(): Promise<readonly string[]> {
      const metrics = await (await fetch(`http://127.0.0.1:${member.port}/metrics`)).text();
      hasHeldAll ||= /^plimsoll_shards_owned 2$/m.test(metrics);
      const isCollected = await client.request({ path: `${leases}/${ghost}` }).then(
        () => false,
        () => true,
      );
      return [
        ...(hasHeldAll ? [] : ["holds all slots"]),
        ...(isCollected ? [] : ["collects a member that is gone"]),
        ...(member.complaints().includes("keeps its lease") ? ["keeps its slots"] : []),
      ];
    },
  };
}
