// What each part of the autoscaler's manifests is for, by the names of the probes that fail without it.
import { cronProbes } from "./cron-track.ts";
import { trackTargets } from "./track.ts";

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
/** Who does not lead has no decisions of its own. */
const callers = ["serves its decisions to who has a token", "serves its decisions to who has a certificate"];
const shared = ["holds all slots", "keeps its slots", "collects a member that is gone"];
const inCluster = "ClusterRole plimsoll-autoscaler:";
const onReviews = "ClusterRole plimsoll-autoscaler-reviews:";
const onLeases = "Role plimsoll-autoscaler-leases:";
export const following = (resource: string) => [`follows ${resource}`];
const about = (title: string) => [`knows who scaled ${title}`];

/**
 * What stops working without each part, by the names of the probes. A part that is not in here, or without which
 * nothing stops, is one that the autoscaler must not be granted.
 */
export const consequences: Readonly<Record<string, readonly string[]>> = {
  "ServiceAccount autoscaler": ["has a token"],
  [`${inCluster} list horizontalpodautoscalers`]: [
    ...evaluation,
    ...callers,
    ...following("horizontalpodautoscalers"),
  ],
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
  [`${inCluster} list pods`]: [...evaluation, ...callers, ...following("pods")],
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
  [`${onReviews} create tokenreviews`]: ["serves its decisions to who has a token"],
  // An administrator with a certificate is in system:masters, which needs no review.
  [`${onReviews} create subjectaccessreviews`]: ["serves its decisions to who has a token"],
  "ClusterRoleBinding plimsoll-autoscaler-reviews": ["serves its decisions to who has a token"],
  [`${inCluster} create events`]: ["writes events", "counts an event that comes again"],
  [`${inCluster} patch events`]: ["counts an event that comes again"],
  "ClusterRoleBinding plimsoll-autoscaler": [
    ...evaluation,
    ...callers,
    ...following("horizontalpodautoscalers"),
    ...following("workloadautoscalers"),
    ...following("pods"),
  ],
  [`${onLeases} get leases`]: [...evaluation, ...callers, "keeps its lease"],
  [`${onLeases} create leases`]: [...evaluation, ...callers, "keeps its lease"],
  [`${onLeases} update leases`]: ["keeps its lease"],
  "RoleBinding plimsoll-autoscaler-leases": [...evaluation, ...callers, "keeps its lease"],
  "RoleBinding plimsoll-autoscaler-auth-reader": ["serves its decisions to who has a certificate"],
};

/** It works until its lease runs out then; how far it comes is a matter of luck. */
export const whileItLasts: Readonly<Record<string, readonly string[]>> = {
  [`${onLeases} update leases`]: [...evaluation, ...callers],
};

const onShards = "Role plimsoll-autoscaler-shards:";
/** Of several processes that split the objects. */
export const shardConsequences: Readonly<Record<string, readonly string[]>> = {
  [`${onShards} get leases`]: shared,
  [`${onShards} list leases`]: shared,
  [`${onShards} update leases`]: shared,
  [`${onShards} delete leases`]: ["keeps its slots", "collects a member that is gone"],
  "RoleBinding plimsoll-autoscaler-shards": shared,
};

const { jobs, status, hpaOfJob, schedule } = cronProbes;
const inCron = "ClusterRole plimsoll-cron-hpa:";
export const cronConsequences: Readonly<Record<string, readonly string[]>> = {
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
export const scheduleConsequences: Readonly<Record<string, readonly string[]>> = {
  [`${inSchedules} get horizontalpodautoscalers`]: [schedule],
  [`${inSchedules} patch horizontalpodautoscalers`]: [schedule],
  [`${inSchedules} get workloadautoscalers`]: [schedule],
  [`${inSchedules} patch workloadautoscalers`]: [schedule],
  "ClusterRoleBinding plimsoll-hpa-schedules": [schedule],
};
