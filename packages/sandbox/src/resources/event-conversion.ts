// Converts Events between core/v1 and events.k8s.io/v1.
import type { ApiObject } from "../storage/api-object.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Conversion } from "./definition.ts";

// Events are stored as core/v1; events.k8s.io/v1 has the same fields under other names.
const coreToNew: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
};
const newToCore: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(coreToNew).map(([core, renamed]) => [renamed, core]),
);

export const eventConversion: Conversion = {
  toStored: (object) => ({ ...renamed(object, newToCore), apiVersion: "v1" }) as ApiObject,
  fromStored: (object) => ({ ...renamed(object, coreToNew), apiVersion: "events.k8s.io/v1" }),
};

function renamed(object: StoredObject, names: Readonly<Record<string, string>>): StoredObject {
  const entries = Object.entries(object).map(([key, value]) => [names[key] ?? key, value] as const);
  return Object.fromEntries(entries) as unknown as StoredObject;
}
