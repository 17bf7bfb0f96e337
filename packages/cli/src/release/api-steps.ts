// The steps by which the metrics APIs go to another Service.
import { type Json, jsonOf } from "../convert/source.ts";
import type { ReleaseStep } from "./document.ts";
import type { ApiService, Successor } from "./installed.ts";
import type { Planned } from "./planned.ts";
import { jsonWord } from "./shell.ts";

const explainGroup = "explain.plimsoll.dev";

/** Whether HPAs would have no metrics without the adapter. */
export function keepsAdapter({ installed, outcomes }: Planned): boolean {
  if (installed.successor !== undefined) return false;
  if (servedBy(installed, "metrics-adapter").length === 0) return false;
  const specs = [
    ...installed.hpas.map(({ spec }) => spec as unknown as Json),
    ...outcomes.flatMap((outcome) => (outcome.kind === "hpa" ? [jsonOf(outcome.hpa["spec"])] : [])),
  ];
  const served = new Set(servedBy(installed, "metrics-adapter").map(({ spec }) => spec.group));
  return specs.some((spec) => groupsOf(spec).some((group) => served.has(group)));
}

/** The metrics APIs that an HPA reads. */
function groupsOf(spec: Json): readonly string[] {
  const metrics = Array.isArray(spec["metrics"]) ? (spec["metrics"] as readonly unknown[]).map(jsonOf) : [];
  if (metrics.length === 0) return ["metrics.k8s.io"];
  return metrics.map(({ type }) => {
    if (type === "External") return "external.metrics.k8s.io";
    return type === "Pods" || type === "Object" ? "custom.metrics.k8s.io" : "metrics.k8s.io";
  });
}

/** APIServices that lead to a Service of ours. */
export function servedBy(
  { apiServices, services }: Planned["installed"],
  component: "autoscaler" | "metrics-adapter",
): readonly ApiService[] {
  return apiServices.filter(({ spec: { service } }) =>
    services.some(
      (ours) =>
        ours.component === component && ours.namespace === service?.namespace && ours.name === service.name,
    ),
  );
}

export function apiSteps(planned: Planned): readonly ReleaseStep[] {
  return [...explainStep(planned), ...metricsStep(planned)];
}

/** Before the Service behind it goes: an APIService that is not available keeps namespaces from being deleted. */
function explainStep({ installed, kubectl, file }: Planned): readonly ReleaseStep[] {
  const found = installed.apiServices.filter(({ spec }) => spec.group === explainGroup);
  if (found.length === 0) return [];
  return [
    {
      title: "Remove the API of decisions",
      reason: "No autoscaler reads it. An APIService without a Service keeps namespaces from being deleted.",
      commands: found.map(({ metadata }) => kubectl("delete", "apiservice", metadata.name)),
      undo: { commands: [], note: `Create it again from ${file}.` },
    },
  ];
}

function metricsStep(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl, file } = planned;
  const served = servedBy(installed, "metrics-adapter");
  if (served.length === 0 || keepsAdapter(planned)) return [];
  const { successor } = installed;
  if (successor === undefined)
    return [
      {
        title: "Remove the metrics APIs",
        reason: "No HorizontalPodAutoscaler reads them.",
        commands: served.map(({ metadata }) => kubectl("delete", "apiservice", metadata.name)),
        undo: { commands: [], note: `Create them again from ${file}.` },
      },
    ];
  const patched = (name: string, patch: object): string =>
    kubectl("patch", "apiservice", name, "--type=merge", "-p", jsonWord(patch));
  return [
    {
      title: `Give the metrics APIs to ${successor.namespace}/${successor.name}`,
      reason: "Nothing scales while no metric can be read; then autoscalers read what that Service serves.",
      commands: [
        ...served.map(({ metadata }) => patched(metadata.name, given(successor))),
        ...served.map(({ metadata }) =>
          kubectl("wait", "--for=condition=Available", "--timeout=60s", `apiservice/${metadata.name}`),
        ),
      ],
      undo: {
        commands: served.map(({ metadata, spec }) => patched(metadata.name, takenBack(spec))),
        note: "Possible as long as metrics-adapter runs.",
      },
    },
  ];
}

function given({ namespace, name, port, release }: Successor): object {
  // Helm takes over what has all three.
  const ofHelm =
    release === undefined
      ? {}
      : { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace };
  const labels = release === undefined ? {} : { labels: { "app.kubernetes.io/managed-by": "Helm" } };
  return {
    metadata: { ...labels, annotations: { ...ofHelm, "helm.sh/resource-policy": "keep" } },
    spec: { service: { namespace, name, port }, caBundle: null, insecureSkipTLSVerify: true },
  };
}

function takenBack({ service, caBundle, insecureSkipTLSVerify }: ApiService["spec"]): object {
  return {
    spec: {
      service,
      caBundle: caBundle ?? null,
      insecureSkipTLSVerify: insecureSkipTLSVerify ?? false,
    },
  };
}
