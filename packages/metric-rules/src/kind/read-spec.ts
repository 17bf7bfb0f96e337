// Reads the specification of a MetricRule, and says everything that is wrong with it.
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { readLive } from "@plimsoll/core/queries";
import type { KubeObject } from "@plimsoll/kube";
import { defaultSource } from "@plimsoll/rules";
import { type ReadSpec, type RuleLive, sizes } from "./kind.ts";

const knownFields = ["type", "metric", "object", "podLabel", "source", "query", "live"];
const types = ["Pods", "Object", "External"];

/** Pure and total: whatever an object has, its size is bounded before it is looked at closely. */
export function readSpec(object: KubeObject): ReadSpec {
  const spec = "spec" in object ? object.spec : undefined;
  if (!isFields(spec)) return { ok: false, problems: ["spec: is missing; it needs type and query"] };
  const reader = createReader(spec);
  const type = reader.choice("type", types);
  const metric = reader.text("metric", { max: sizes.metric, standard: object.metadata.name, ...metricName });
  const source = reader.text("source", { max: sizes.source, standard: defaultSource, ...sourceName });
  const query = reader.text("query", { max: sizes.query });
  const described = describedObject(reader, type, spec["object"]);
  const live = ruleLive(reader, type, spec);
  if (described === undefined || reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, spec: { metric, source, query, ...described, ...(live === undefined ? {} : { live }) } };
}

function ruleLive({ problems, absent }: Reader, type: string, spec: Fields): RuleLive | undefined {
  if (spec["live"] === undefined || spec["live"] === null) return undefined;
  const { source, problems: own } = readLive("spec.live", spec["live"]);
  for (const { path, value, message } of own)
    problems.push(`${path}: ${value === undefined ? "" : `${shown(value)} `}${message}`);
  if (type === "Object") absent("live", "type Object");
  // The API server fills in the default.
  if (spec["source"] !== defaultSource) absent("source", "live");
  const { podSelector, ...endpoint } = source;
  if (podSelector === undefined)
    problems.push("spec.live.podSelector: is missing: select the pods by their labels");
  return { ...endpoint, pods: { type: "selector", selector: podSelector ?? {} } };
}

type Described =
  | { readonly type: "Pods"; readonly label: string }
  | { readonly type: "Object"; readonly resource: string; readonly label: string }
  | { readonly type: "External" };

function describedObject(reader: Reader, type: string, object: unknown): Described | undefined {
  reader.unknownFields("spec", knownFields);
  if (type !== "Pods") reader.absent("podLabel", `type ${type || "other than Pods"}`);
  if (type !== "Object") reader.absent("object", `type ${type || "other than Object"}`);
  if (type === "Pods") return { type, label: reader.text("podLabel", { max: sizes.label, standard: "pod" }) };
  if (type === "External") return { type };
  if (type !== "Object") return undefined;
  if (!isFields(object)) {
    reader.problems.push(
      "spec.object: is missing; type Object needs object.resource and object.label, such as ingresses.networking.k8s.io and ingress",
    );
    return undefined;
  }
  const inner = createReader(object, "spec.object", reader.problems);
  inner.unknownFields("spec.object", ["resource", "label"]);
  return {
    type,
    resource: inner.text("resource", { max: sizes.resource, ...resourceName }),
    label: inner.text("label", { max: sizes.label }),
  };
}

const metricName = {
  pattern: /^[A-Za-z0-9_](?:[A-Za-z0-9_.:-]*[A-Za-z0-9_])?$/,
  remedy: "use letters, digits, underscores, dots, colons and dashes, such as requests-per-second",
};
const sourceName = {
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  remedy: "use the name of a source of the adapter's configuration, or leave it out",
};
const resourceName = {
  pattern: /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/,
  remedy: "use the plural and the group, such as ingresses.networking.k8s.io",
};

interface TextOptions {
  readonly max: number;
  /** For a field that is left out; without it the field is required. */
  readonly standard?: string;
  readonly pattern?: RegExp;
  readonly remedy?: string;
}

interface Reader {
  readonly problems: string[];
  /** "" where there is a problem. */
  text(name: string, options: TextOptions): string;
  choice(name: string, values: readonly string[]): string;
  absent(name: string, because: string): void;
  unknownFields(path: string, known: readonly string[]): void;
}

function createReader(fields: Fields, path = "spec", problems: string[] = []): Reader {
  const problem = (name: string, message: string): string => {
    problems.push(`${path}.${name}: ${message}`);
    return "";
  };
  const text: Reader["text"] = (name, { max, standard, pattern, remedy }) => {
    const value = fields[name] ?? standard;
    if (value === undefined) return problem(name, "is missing");
    if (typeof value !== "string") return problem(name, `${shown(value)} is not a string`);
    if (value.trim() === "") return problem(name, "is empty");
    if (value.length > max)
      return problem(name, `has ${value.length} characters; at most ${max} are allowed: shorten it`);
    if (pattern !== undefined && !pattern.test(value))
      return problem(name, `${shown(value)} cannot be used: ${remedy ?? ""}`);
    return value;
  };
  return {
    problems,
    text,
    choice(name, values) {
      const value = text(name, { max: 63 });
      if (value === "" || values.includes(value)) return value;
      return problem(name, `${shown(value)} is unknown: use ${values.join(", ")}`);
    },
    absent(name, because) {
      if (fields[name] !== undefined)
        problem(name, `${shown(fields[name])} has no meaning with ${because}: remove it`);
    },
    unknownFields(at, known) {
      const unknown = Object.keys(fields).filter((name) => !known.includes(name));
      for (const name of unknown.slice(0, 5))
        problems.push(`${at}: ${shown(name)} is not a field; use one of ${known.join(", ")}`);
    },
  };
}

/** At most 60 characters of a value. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
