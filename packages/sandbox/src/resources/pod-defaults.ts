import {
  ensureRecord,
  isRecord,
  type JsonRecord,
  recordsAt,
  setDefault,
  stringAt,
} from "../storage/json-value.ts";

/** The defaults of a PodSpec that clients and the autoscaler notice. */
export function setPodSpecDefaults(spec: JsonRecord): void {
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "schedulerName", "default-scheduler");
  setDefault(spec, "securityContext", {});
  for (const container of [...recordsAt(spec, "containers"), ...recordsAt(spec, "initContainers")]) {
    setContainerDefaults(container);
  }
}

export function setPodTemplateDefaults(workloadSpec: JsonRecord): void {
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
