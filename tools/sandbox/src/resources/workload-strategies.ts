// Defaults and rules of Pods, Deployments, ReplicaSets and the other workloads.
import { isDeepStrictEqual } from "node:util";
import { type FieldProblem, invalid, required } from "../errors/field-problem.ts";
import type { ApiObject } from "../storage/api-object.ts";
import {
  ensureRecord,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  recordsAt,
  setDefault,
  stringAt,
  valueAt,
} from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { plainStrategy, type Strategy } from "./definition.ts";

/** The defaults of a PodSpec that clients and the autoscaler notice. */
function setPodSpecDefaults(spec: JsonRecord): void {
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "schedulerName", "default-scheduler");
  setDefault(spec, "securityContext", {});
  for (const container of [...recordsAt(spec, "containers"), ...recordsAt(spec, "initContainers")]) {
    setContainerDefaults(container);
  }
}

function setPodTemplateDefaults(workloadSpec: JsonRecord): void {
  const template = ensureRecord(workloadSpec, "template");
  setDefault(template, "metadata", {});
  setPodSpecDefaults(ensureRecord(template, "spec"));
}

function setContainerDefaults(container: JsonRecord): void {
  const image = stringAt(container, "image") ?? "";
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  const floating = !image.includes("@") && (tag === undefined || tag === "latest");
  setDefault(container, "imagePullPolicy", floating ? "Always" : "IfNotPresent");
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  setDefault(container, "resources", {});
  for (const port of recordsAt(container, "ports")) setDefault(port, "protocol", "TCP");
  const resources = container["resources"];
  if (!isRecord(resources) || !isRecord(resources["limits"])) return;
  // A limit without a request is its own request; utilization targets depend on it.
  const requests = ensureRecord(resources, "requests");
  for (const [name, limit] of Object.entries(resources["limits"])) setDefault(requests, name, limit);
}

export const podStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    setPodSpecDefaults(ensureRecord(object, "spec"));
    setDefault(ensureRecord(object, "spec"), "enableServiceLinks", true);
  },
  prepareForCreate(object) {
    object.status = { phase: "Pending", qosClass: qosClass(ensureRecord(object, "spec")) };
  },
  validate: (object) => validateContainers(object, "spec"),
  selectableFields: (object) => ({
    "status.phase": stringAt(object, "status", "phase") ?? "",
    "status.podIP": stringAt(object, "status", "podIP") ?? "",
    "status.nominatedNodeName": stringAt(object, "status", "nominatedNodeName") ?? "",
    "spec.nodeName": stringAt(object, "spec", "nodeName") ?? "",
    "spec.restartPolicy": stringAt(object, "spec", "restartPolicy") ?? "",
    "spec.schedulerName": stringAt(object, "spec", "schedulerName") ?? "",
    "spec.serviceAccountName": stringAt(object, "spec", "serviceAccountName") ?? "",
    "spec.hostNetwork": String(valueAt(object, "spec", "hostNetwork") === true),
  }),
};

export const deploymentStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "replicas", 1);
    setDefault(spec, "revisionHistoryLimit", 10);
    setDefault(spec, "progressDeadlineSeconds", 600);
    const strategy = ensureRecord(spec, "strategy");
    setDefault(strategy, "type", "RollingUpdate");
    if (strategy["type"] === "RollingUpdate") {
      const rolling = ensureRecord(strategy, "rollingUpdate");
      setDefault(rolling, "maxSurge", "25%");
      setDefault(rolling, "maxUnavailable", "25%");
    }
    setPodTemplateDefaults(spec);
  },
  prepareForCreate: (object) => void (object.status = {}),
  validate: validateWorkload,
};

export const replicaSetStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "replicas", 1);
    setPodTemplateDefaults(spec);
  },
  prepareForCreate: (object) => void (object.status = { replicas: 0 }),
  validate: validateWorkload,
  selectableFields: (object) => ({ "status.replicas": String(numberAt(object, "status", "replicas") ?? 0) }),
};

export const statefulSetStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "replicas", 1);
    setDefault(spec, "revisionHistoryLimit", 10);
    setDefault(spec, "podManagementPolicy", "OrderedReady");
    setDefault(spec, "persistentVolumeClaimRetentionPolicy", { whenDeleted: "Retain", whenScaled: "Retain" });
    const strategy = ensureRecord(spec, "updateStrategy");
    setDefault(strategy, "type", "RollingUpdate");
    if (strategy["type"] === "RollingUpdate")
      setDefault(ensureRecord(strategy, "rollingUpdate"), "partition", 0);
    setPodTemplateDefaults(spec);
  },
  prepareForCreate: (object) => void (object.status = { replicas: 0, availableReplicas: 0 }),
  validate: validateWorkload,
};

export const replicationControllerStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "replicas", 1);
    setPodTemplateDefaults(spec);
    const labels = recordAt(spec, "template", "metadata", "labels");
    if (labels !== undefined) setDefault(spec, "selector", { ...labels });
  },
  prepareForCreate: (object) => void (object.status = { replicas: 0 }),
};

function validateWorkload(object: ApiObject, old: StoredObject | undefined): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const replicas = numberAt(object, "spec", "replicas") ?? 0;
  if (replicas < 0) {
    problems.push(invalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
  const selector = recordAt(object, "spec", "selector");
  const labels = recordAt(object, "spec", "template", "metadata", "labels") ?? {};
  const wanted = recordAt(selector, "matchLabels") ?? {};
  if (selector === undefined) problems.push(required("spec.selector"));
  else if (Object.keys(selector).length === 0) {
    problems.push(invalid("spec.selector", selector, "empty selector is invalid for deployment"));
  } else if (Object.entries(wanted).some(([key, value]) => labels[key] !== value)) {
    problems.push(
      invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"),
    );
  }
  if (old !== undefined && !isDeepStrictEqual(selector, recordAt(old, "spec", "selector"))) {
    problems.push(invalid("spec.selector", selector, "field is immutable"));
  }
  return [...problems, ...validateContainers(object, "spec", "template", "spec")];
}

function validateContainers(object: ApiObject, ...path: readonly string[]): FieldProblem[] {
  const containers = recordsAt(object, ...path, "containers");
  const field = `${path.join(".")}.containers`;
  if (containers.length === 0) return [required(field)];
  return containers.flatMap((container, index) => [
    ...(stringAt(container, "name") ? [] : [required(`${field}[${index}].name`)]),
    ...(stringAt(container, "image") ? [] : [required(`${field}[${index}].image`)]),
  ]);
}

function qosClass(spec: JsonRecord): string {
  const containers = recordsAt(spec, "containers");
  const has = (container: JsonRecord, kind: string): boolean =>
    Object.keys(recordAt(container, "resources", kind) ?? {}).length > 0;
  if (!containers.some((container) => has(container, "requests") || has(container, "limits")))
    return "BestEffort";
  const guaranteed = containers.every((container) => {
    const requests = recordAt(container, "resources", "requests");
    const limits = recordAt(container, "resources", "limits");
    return isRecord(limits) && "cpu" in limits && "memory" in limits && isDeepStrictEqual(requests, limits);
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}
