// Reads APIService objects.
import { compareText } from "@plimsoll/core/internal/values";
import { compareVersions } from "../resources/custom-resources.ts";
import { isRecord, numberAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";

export const apiServiceStorage = "apiservices.apiregistration.k8s.io";

/** An APIService whose group-version a backend serves. */
export interface AggregatedService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: ServiceReference;
  /** PEM; undefined: the system's roots. */
  readonly caPem: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly available: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Preferred groups and versions first. */
export function aggregatedServices(store: ObjectStore): readonly AggregatedService[] {
  return store
    .list(apiServiceStorage)
    .flatMap((object) => parseApiService(object) ?? [])
    .sort(
      (a, b) =>
        b.groupPriority - a.groupPriority ||
        compareText(a.group, b.group) ||
        b.versionPriority - a.versionPriority ||
        compareVersions(a.version, b.version),
    );
}

export function findAggregated(
  store: ObjectStore,
  group: string,
  version: string,
): AggregatedService | undefined {
  const object = store.get(apiServiceStorage, undefined, `${version}.${group}`);
  return object === undefined ? undefined : parseApiService(object);
}

function parseApiService(object: StoredObject): AggregatedService | undefined {
  const { spec } = object;
  const service = valueAt(spec, "service");
  if (!isRecord(service)) return undefined;
  const caBundle = stringAt(spec, "caBundle");
  const condition = recordsAt(object, "status", "conditions").find((one) => one["type"] === "Available");
  return {
    name: object.metadata.name,
    group: stringAt(spec, "group") ?? "",
    version: stringAt(spec, "version") ?? "",
    service: {
      namespace: stringAt(service, "namespace") ?? "",
      name: stringAt(service, "name") ?? "",
      port: numberAt(service, "port") ?? 443,
    },
    caPem: caBundle === undefined || caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString(),
    insecureSkipTlsVerify: valueAt(spec, "insecureSkipTLSVerify") === true,
    available: condition?.["status"] === "True",
    groupPriority: numberAt(spec, "groupPriorityMinimum") ?? 0,
    versionPriority: numberAt(spec, "versionPriority") ?? 0,
  };
}
