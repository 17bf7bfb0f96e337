// Defaults and rules of built-in kinds that are no workloads.
import { invalid, required } from "../errors/field-problem.ts";
import {
  ensureRecord,
  isRecord,
  type JsonRecord,
  recordsAt,
  setDefault,
  stringAt,
} from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import { isSame } from "../storage/seal.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { plainStrategy, type Strategy } from "./definition.ts";

export const namespaceStrategy: Strategy = {
  ...plainStrategy,
  prepareForCreate(object) {
    object.spec = { finalizers: ["kubernetes"] };
    object.status = { phase: "Active" };
  },
  setDefaults(object) {
    object.metadata.labels = {
      ...object.metadata.labels,
      "kubernetes.io/metadata.name": object.metadata.name,
    };
  },
  selectableFields: (object) => ({ "status.phase": stringAt(object, "status", "phase") ?? "" }),
};

export const serviceStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "type", "ClusterIP");
    setDefault(spec, "sessionAffinity", "None");
    for (const port of recordsAt(spec, "ports")) {
      setDefault(port, "protocol", "TCP");
      setDefault(port, "targetPort", port["port"]);
    }
    if (spec["type"] === "ExternalName") return;
    setDefault(spec, "internalTrafficPolicy", "Cluster");
    setDefault(spec, "ipFamilies", ["IPv4"]);
    setDefault(spec, "ipFamilyPolicy", "SingleStack");
  },
  prepareForCreate(object, { sequence }) {
    const spec = ensureRecord(object, "spec");
    object.status = { loadBalancer: {} };
    if (spec["type"] === "ExternalName") return;
    const number = sequence();
    setDefault(spec, "clusterIP", `10.96.${(number >> 8) & 255}.${number & 255}`);
    setDefault(spec, "clusterIPs", [spec["clusterIP"]]);
  },
  prepareForUpdate(object, old) {
    const spec = ensureRecord(object, "spec");
    const before = old.spec;
    if (!isRecord(before) || spec["type"] === "ExternalName") return;
    setDefault(spec, "clusterIP", before["clusterIP"]);
    setDefault(spec, "clusterIPs", before["clusterIPs"]);
  },
  selectableFields: (object) => ({
    "spec.clusterIP": stringAt(object, "spec", "clusterIP") ?? "",
    "spec.type": stringAt(object, "spec", "type") ?? "",
  }),
};

/** Clients may send stringData; it is folded into data and never stored. */
export const secretStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    setDefault(object, "type", "Opaque");
    const texts = object["stringData"];
    if (isRecord(texts)) {
      const data = ensureRecord(object, "data");
      for (const [key, text] of Object.entries(texts))
        data[key] = Buffer.from(String(text)).toString("base64");
    }
    delete object["stringData"];
  },
  selectableFields: (object) => ({ type: stringAt(object, "type") ?? "" }),
};

export const nodeStrategy: Strategy = {
  ...plainStrategy,
  setDefaults: (object) => void ensureRecord(object, "spec"),
  selectableFields: (object) => ({
    "spec.unschedulable": String((object.spec as JsonRecord | undefined)?.["unschedulable"] === true),
  }),
};

export const ingressStrategy: Strategy = {
  ...plainStrategy,
  setDefaults: (object) => void ensureRecord(object, "spec"),
  prepareForCreate: (object) => void (object.status = { loadBalancer: {} }),
};

export const budgetStrategy: Strategy = {
  ...plainStrategy,
  prepareForCreate(object) {
    object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
};

/** Bindings keep their role for good; a changed reference means a new binding upstream. */
export const bindingStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const role = ensureRecord(object, "roleRef");
    setDefault(role, "apiGroup", "rbac.authorization.k8s.io");
    for (const subject of recordsAt(object, "subjects")) {
      const named = subject["kind"] === "ServiceAccount" ? "" : "rbac.authorization.k8s.io";
      if (named !== "") setDefault(subject, "apiGroup", named);
    }
  },
  validate(object, old) {
    const changed = old !== undefined && !isSame(object["roleRef"], old["roleRef"]);
    return [
      ...(stringAt(object, "roleRef", "name") ? [] : [required("roleRef.name")]),
      ...(changed ? [invalid("roleRef", object["roleRef"], "cannot change roleRef")] : []),
    ];
  },
};

export const apiServiceStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const service = (object.spec as JsonRecord | undefined)?.["service"];
    if (isRecord(service)) setDefault(service, "port", 443);
  },
  prepareForCreate(object, { nowMs }) {
    const local = !isRecord((object.spec as JsonRecord | undefined)?.["service"]);
    object.status = local
      ? {
          conditions: [
            {
              type: "Available",
              status: "True",
              lastTransitionTime: timestamp(nowMs),
              reason: "Local",
              message: "Local APIServices are always available",
            },
          ],
        }
      : {};
  },
  validate: (object) => [
    ...(stringAt(object, "spec", "version") ? [] : [required("spec.version")]),
    ...(stringAt(object, "spec", "group") === undefined && object.metadata.name !== "v1."
      ? [required("spec.group")]
      : []),
  ],
};

/** Field selectors of core/v1 events, which `kubectl describe` uses. */
export const eventStrategy: Strategy = {
  ...plainStrategy,
  selectableFields: eventFields,
};

function eventFields(object: StoredObject): Readonly<Record<string, string>> {
  const involved = object["involvedObject"];
  const fields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  return {
    ...Object.fromEntries(
      fields.map((field) => [`involvedObject.${field}`, stringAt(involved, field) ?? ""]),
    ),
    reason: stringAt(object, "reason") ?? "",
    reportingComponent: stringAt(object, "reportingComponent") ?? "",
    source: stringAt(object, "source", "component") ?? "",
    type: stringAt(object, "type") ?? "",
  };
}
