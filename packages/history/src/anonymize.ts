// A recording without the names of things: what can be given to others.
import type { Recording } from "@plimsoll/simulator";

type Fields = Readonly<Record<string, unknown>>;

/** The same numbers under names without a meaning. The manifest keeps its specification, not its labels and annotations. */
export function anonymize(recording: Recording): Recording {
  const names = createNames();
  const target = { namespace: "namespace", kind: recording.target.kind, name: "workload" };
  return {
    ...recording,
    target,
    autoscaler: {
      object: manifest(recording.autoscaler.object, names),
      changes: recording.autoscaler.changes,
    },
    pods: recording.pods.map((pod) => ({
      ...pod,
      name: names("pod", pod.name),
      requests: Object.fromEntries(
        Object.entries(pod.requests).map(([container, requests]) => [
          names("container", container),
          requests,
        ]),
      ),
    })),
    metrics: recording.metrics.map((metric) => ({
      ...metric,
      samples: metric.samples.map((sample) => ({
        ...sample,
        values: sample.values.map((one) =>
          one.pod === undefined ? one : { ...one, pod: names("pod", one.pod) },
        ),
      })),
    })),
  };
}

type Names = (kind: string, name: string) => string;

function createNames(): Names {
  const kinds = new Map<string, Map<string, string>>();
  return (kind, name) => {
    const known = kinds.get(kind) ?? new Map<string, string>();
    kinds.set(kind, known);
    const found = known.get(name) ?? `${kind}-${known.size + 1}`;
    known.set(name, found);
    return found;
  };
}

function manifest(object: unknown, names: Names): unknown {
  const { apiVersion, kind, spec } = fieldsOf(object);
  return {
    apiVersion,
    kind,
    metadata: { namespace: "namespace", name: "workload" },
    spec: specOf(fieldsOf(spec), names),
  };
}

function specOf(spec: Fields, names: Names): Fields {
  const { metrics, schedules, scaleTargetRef, ...others } = spec;
  return {
    ...others,
    scaleTargetRef: { ...fieldsOf(scaleTargetRef), name: "workload" },
    ...(Array.isArray(metrics)
      ? { metrics: metrics.map((metric) => withoutNames(fieldsOf(metric), names)) }
      : {}),
    ...(Array.isArray(schedules)
      ? { schedules: schedules.map((one) => ({ ...fieldsOf(one), name: names("schedule", nameOf(one)) })) }
      : {}),
  };
}

function withoutNames(metric: Fields, names: Names): Fields {
  const sources = Object.entries(metric).map(([key, source]) => {
    if (key === "type" || typeof source !== "object" || source === null) return [key, source];
    if (key === "query") return [key, withoutText(fieldsOf(source), names)];
    const { metric: identifier, describedObject, container, ...rest } = fieldsOf(source);
    return [
      key,
      {
        ...rest,
        ...(identifier === undefined ? {} : { metric: { name: names("metric", nameOf(identifier)) } }),
        ...(describedObject === undefined
          ? {}
          : {
              describedObject: {
                ...fieldsOf(describedObject),
                name: names("object", nameOf(describedObject)),
              },
            }),
        ...(typeof container === "string" ? { container: names("container", container) } : {}),
      },
    ];
  });
  return Object.fromEntries(sources) as Fields;
}

/** PromQL has names of series, labels and values: of a query nothing stays but its target and which ones are the same. */
function withoutText({ promql, source, podLabel, target }: Fields, names: Names): Fields {
  return {
    promql: names("query", typeof promql === "string" ? promql : "").replace("-", "_"),
    ...(typeof source === "string" ? { source: names("source", source) } : {}),
    ...(podLabel === undefined ? {} : { podLabel: "pod" }),
    target,
  };
}

function nameOf(value: unknown): string {
  const { name } = fieldsOf(value);
  return typeof name === "string" ? name : "";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
