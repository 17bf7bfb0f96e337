// Resolves a Service to an endpoint.
import { numberAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { ServiceReference } from "./api-service.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Overrides where a service is reached; undefined leaves it to the Service object. */
export type ServiceRouting = (service: ServiceReference) => Endpoint | undefined;

export type Resolution =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/**
 * The address of a service: an ExternalName unchanged, otherwise a ready address behind the port.
 * Reasons are those of the Available condition.
 *
 * @upstream kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go#sync
 */
export function resolveService(
  store: ObjectStore,
  service: ServiceReference,
  routing: ServiceRouting | undefined,
): Resolution {
  const routed = routing?.(service);
  if (routed !== undefined) return { ok: true, endpoint: routed };
  const named = `service/${service.name} in ${JSON.stringify(service.namespace)}`;
  const object = store.get("services", service.namespace, service.name);
  if (object === undefined)
    return { ok: false, reason: "ServiceNotFound", message: `${named} is not present` };
  if (stringAt(object, "spec", "type") === "ExternalName") {
    const host = stringAt(object, "spec", "externalName") ?? "";
    return { ok: true, endpoint: { host, port: service.port } };
  }
  const port = recordsAt(object, "spec", "ports").find((one) => one["port"] === service.port);
  if (port === undefined) {
    const message = `${named} is not listening on port ${service.port}`;
    return { ok: false, reason: "ServicePortError", message };
  }
  const portName = stringAt(port, "name") ?? "";
  const candidates = [
    ...sliceEndpoints(store, service, portName),
    ...plainEndpoints(store, service, portName),
  ];
  const endpoint = candidates[0];
  if (endpoint !== undefined) return { ok: true, endpoint };
  if (!hasEndpoints(store, service)) {
    return { ok: false, reason: "EndpointsNotFound", message: `cannot find endpointslices for ${named}` };
  }
  const message = `endpointslices for ${named} have no addresses with port name ${JSON.stringify(portName)}`;
  return { ok: false, reason: "MissingEndpoints", message };
}

function slicesOf(store: ObjectStore, service: ServiceReference) {
  return store
    .list("endpointslices.discovery.k8s.io", service.namespace)
    .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === service.name);
}

function hasEndpoints(store: ObjectStore, service: ServiceReference): boolean {
  return (
    slicesOf(store, service).length > 0 ||
    store.get("endpoints", service.namespace, service.name) !== undefined
  );
}

function sliceEndpoints(
  store: ObjectStore,
  service: ServiceReference,
  portName: string,
): readonly Endpoint[] {
  return slicesOf(store, service).flatMap((slice) => {
    const port = recordsAt(slice, "ports").find((one) => (one["name"] ?? "") === portName);
    const number = numberAt(port, "port");
    if (number === undefined) return [];
    return recordsAt(slice, "endpoints")
      .filter((one) => valueAt(one, "conditions", "ready") !== false)
      .flatMap((one) => (Array.isArray(one["addresses"]) ? one["addresses"] : []))
      .map((address) => ({ host: String(address), port: number }));
  });
}

function plainEndpoints(
  store: ObjectStore,
  service: ServiceReference,
  portName: string,
): readonly Endpoint[] {
  const object = store.get("endpoints", service.namespace, service.name);
  return recordsAt(object, "subsets").flatMap((subset) => {
    const port = recordsAt(subset, "ports").find((one) => (one["name"] ?? "") === portName);
    const number = numberAt(port, "port");
    if (number === undefined) return [];
    return recordsAt(subset, "addresses").map((one) => ({ host: stringAt(one, "ip") ?? "", port: number }));
  });
}
