import { isRecord, type JsonRecord } from "../storage/json-value.ts";

/** How a list or map is merged. Keys of a map list may have a default for when an item omits them. */
export type Merging =
  | { readonly kind: "granular" }
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  | {
      readonly kind: "map";
      readonly keys: readonly string[];
      readonly defaults?: JsonRecord;
      /** Strategic merge identifies items by one key only, where server-side apply uses several. */
      readonly strategicKey: string;
    };

/** Returns how the value at a field path is merged; list items do not count as a step. */
export interface MergeSchema {
  merging(path: readonly string[], value: unknown): Merging;
}

const granular: Merging = { kind: "granular" };
const atomic: Merging = { kind: "atomic" };
const set: Merging = { kind: "set" };

function byKey(...keys: readonly string[]): Merging {
  return { kind: "map", keys, strategicKey: keys[0] ?? "name" };
}

// Field names of the built-in kinds; a parent's name in front where the same name means different things.
const lists: Readonly<Record<string, Merging>> = {
  "metadata.finalizers": set,
  "metadata.ownerReferences": byKey("uid"),
  "status.conditions": byKey("type"),
  containers: byKey("name"),
  initContainers: byKey("name"),
  ephemeralContainers: byKey("name"),
  volumes: byKey("name"),
  imagePullSecrets: byKey("name"),
  resourceClaims: byKey("name"),
  schedulingGates: byKey("name"),
  env: byKey("name"),
  volumeMounts: byKey("mountPath"),
  volumeDevices: byKey("devicePath"),
  hostAliases: byKey("ip"),
  topologySpreadConstraints: {
    kind: "map",
    keys: ["topologyKey", "whenUnsatisfiable"],
    strategicKey: "topologyKey",
  },
  "containers.ports": {
    kind: "map",
    keys: ["containerPort", "protocol"],
    defaults: { protocol: "TCP" },
    strategicKey: "containerPort",
  },
  "initContainers.ports": {
    kind: "map",
    keys: ["containerPort", "protocol"],
    defaults: { protocol: "TCP" },
    strategicKey: "containerPort",
  },
  "spec.ports": {
    kind: "map",
    keys: ["port", "protocol"],
    defaults: { protocol: "TCP" },
    strategicKey: "port",
  },
  "root.secrets": byKey("name"),
  "status.addresses": byKey("type"),
  "status.podIPs": byKey("ip"),
  "status.hostIPs": byKey("ip"),
};

const atomicMaps = new Set([
  "selector",
  "nodeSelector",
  "resourceFieldRef",
  "fieldRef",
  "claimRef",
  "scaleTargetRef",
]);

/** The built-in kinds: lists merge by the keys upstream's types declare, everything else is atomic. */
export const builtinSchema: MergeSchema = {
  merging(path, value) {
    const name = path.at(-1) ?? "";
    const parent = path.length === 1 ? "root" : (path.at(-2) ?? "");
    if (Array.isArray(value)) return lists[`${parent}.${name}`] ?? lists[name] ?? atomic;
    return atomicMaps.has(name) ? atomic : granular;
  },
};

const metadataPath = new Set(["metadata"]);

/** A custom resource, by its OpenAPI v3 schema's x-kubernetes-* marks. Lists are atomic unless marked. */
export function customSchema(openApiSchema: unknown): MergeSchema {
  return {
    merging(path, value) {
      if (metadataPath.has(path[0] ?? "")) return builtinSchema.merging(path, value);
      const node = schemaAt(openApiSchema, path);
      if (!Array.isArray(value)) return node?.["x-kubernetes-map-type"] === "atomic" ? atomic : granular;
      if (node?.["x-kubernetes-list-type"] === "set") return set;
      if (node?.["x-kubernetes-list-type"] !== "map") return atomic;
      const keys = node["x-kubernetes-list-map-keys"];
      return Array.isArray(keys) ? byKey(...keys.map(String)) : atomic;
    },
  };
}

function schemaAt(root: unknown, path: readonly string[]): JsonRecord | undefined {
  let node = isRecord(root) ? root : undefined;
  for (const step of path) {
    if (node !== undefined && isRecord(node["items"])) node = node["items"];
    const properties: unknown = node?.["properties"];
    const child: unknown = isRecord(properties) ? properties[step] : undefined;
    const additional: unknown = node?.["additionalProperties"];
    node = isRecord(child) ? child : isRecord(additional) ? additional : undefined;
  }
  return node;
}
