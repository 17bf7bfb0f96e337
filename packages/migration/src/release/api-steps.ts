// The steps by which the metrics APIs go to another Service.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Labels } from "@plimsoll/prometheus";
import type { ReleaseStep } from "./contents.ts";
import type { ApiService, Successor } from "./installed.ts";
import type { Planned } from "./planned.ts";
import { jsonWord } from "./shell.ts";

const explainGroup = "explain.plimsoll.dev";

/** Whether HPAs would have no metrics without the adapter. */
export function keepsAdapter({ installed, outcomes }: Planned): boolean {
  if (installed.successor !== undefined) return false;
  if (servedBy(installed, "metrics-adapter").length === 0) return false;
  const specs = [
    ...installed.hpas.map(({ spec }) => spec as unknown as Fields),
    ...outcomes.flatMap((outcome) => (outcome.kind === "hpa" ? [fieldsOf(outcome.hpa["spec"])] : [])),
  ];
  const served = new Set(servedBy(installed, "metrics-adapter").map(({ spec }) => spec.group));
  return specs.some((spec) => groupsOf(spec).some((group) => served.has(group)));
}

/** The metrics APIs that an HPA reads. */
function groupsOf(spec: Fields): readonly string[] {
  const metrics = Array.isArray(spec["metrics"]) ? (spec["metrics"] as readonly unknown[]).map(fieldsOf) : [];
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

/** APIServices that a plan deletes or gives to another Service. */
export function movedApis(planned: Planned): readonly ApiService[] {
  const { installed } = planned;
  return [
    ...explainApis(installed),
    ...(keepsAdapter(planned) ? [] : servedBy(installed, "metrics-adapter")),
  ];
}

function explainApis({ apiServices }: Planned["installed"]): readonly ApiService[] {
  return apiServices.filter(({ spec }) => spec.group === explainGroup);
}

export function apiSteps(planned: Planned): readonly ReleaseStep[] {
  return [...explainStep(planned), ...metricsStep(planned)];
}

/** Before the Service behind it goes: an APIService that is not available keeps namespaces from being deleted. */
function explainStep({ installed, kubectl, folder }: Planned): readonly ReleaseStep[] {
  const found = explainApis(installed);
  if (found.length === 0) return [];
  return [
    {
      title: "Remove the API of decisions",
      reason: "No autoscaler reads it. An APIService without a Service keeps namespaces from being deleted.",
      commands: found.map(({ metadata }) => kubectl("delete", "apiservice", metadata.name)),
      undo: { commands: [], note: `Create it again from ${folder}.` },
    },
  ];
}

function metricsStep(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl, folder } = planned;
  const served = servedBy(installed, "metrics-adapter");
  if (served.length === 0 || keepsAdapter(planned)) return [];
  const { successor } = installed;
  if (successor === undefined)
    return [
      {
        title: "Remove the metrics APIs",
        reason: "No HorizontalPodAutoscaler reads them.",
        commands: served.map(({ metadata }) => kubectl("delete", "apiservice", metadata.name)),
        undo: { commands: [], note: `Create them again from ${folder}.` },
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
        commands: served.map((api) => patched(api.metadata.name, takenBack(api, given(successor)))),
        note: "Possible as long as metrics-adapter runs.",
      },
    },
  ];
}

function given({ namespace, name, port, release }: Successor): {
  readonly metadata: { readonly labels: Labels; readonly annotations: Labels };
  readonly spec: object;
} {
  // Helm takes over what has all three.
  const ofHelm =
    release === undefined
      ? {}
      : { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace };
  const labels = release === undefined ? {} : { "app.kubernetes.io/managed-by": "Helm" };
  return {
    metadata: { labels, annotations: { ...ofHelm, "helm.sh/resource-policy": "keep" } },
    spec: { service: { namespace, name, port }, caBundle: null, insecureSkipTLSVerify: true },
  };
}

/** With the labels and annotations that it had instead of those that were given. */
function takenBack({ metadata, spec }: ApiService, patch: ReturnType<typeof given>): object {
  const { service, caBundle, insecureSkipTLSVerify } = spec;
  const { labels, annotations } = patch.metadata;
  return {
    metadata: {
      labels: formerOf(labels, metadata.labels),
      annotations: formerOf(annotations, metadata.annotations),
    },
    spec: { service, caBundle: caBundle ?? null, insecureSkipTLSVerify: insecureSkipTLSVerify ?? false },
  };
}

function formerOf(now: Labels, before: Labels | undefined): Readonly<Record<string, string | null>> {
  return Object.fromEntries(Object.keys(now).map((name) => [name, before?.[name] ?? null]));
}
