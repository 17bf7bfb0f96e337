// Columns of Services, Endpoints and Ingresses.
import { isRecord, type JsonRecord, numberAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { ageSince } from "./human-duration.ts";
import { labelText, shortList } from "./label-text.ts";
import { columns, type Printer } from "./table.ts";

/** @upstream pkg/printers/internalversion/printers.go#printService */
export const servicePrinter: Printer = {
  columns: columns("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "+Selector"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    stringAt(object, "spec", "type") ?? "ClusterIP",
    texts(object, "spec", "clusterIPs")[0] ?? (stringAt(object, "spec", "clusterIP") || "<none>"),
    externalAddress(object),
    recordsAt(object, "spec", "ports").map(portText).join(",") || "<none>",
    ageSince(object.metadata.creationTimestamp, nowMs),
    labelText(valueAt(object, "spec", "selector")),
  ],
};

export const endpointsPrinter: Printer = {
  columns: columns("Name", "Endpoints", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    shortList(recordsAt(object, "subsets").flatMap(endpointTexts), 3) || "<none>",
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

export const ingressPrinter: Printer = {
  columns: columns("Name", "Class", "Hosts", "Address", "Ports", "Age"),
  cells: (object, { nowMs }) => {
    const hosts = recordsAt(object, "spec", "rules").map((rule) => stringAt(rule, "host") ?? "");
    return [
      object.metadata.name,
      stringAt(object, "spec", "ingressClassName") ?? "<none>",
      shortList(
        hosts.filter((host) => host !== ""),
        3,
      ) || "*",
      balancerAddresses(object).join(","),
      recordsAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
      ageSince(object.metadata.creationTimestamp, nowMs),
    ];
  },
};

function externalAddress(service: StoredObject): string {
  const external = texts(service, "spec", "externalIPs");
  switch (stringAt(service, "spec", "type") ?? "ClusterIP") {
    case "ExternalName":
      return stringAt(service, "spec", "externalName") ?? "";
    case "LoadBalancer":
      return [...balancerAddresses(service), ...external].join(",") || "<pending>";
    default:
      return external.join(",") || "<none>";
  }
}

function balancerAddresses(object: StoredObject): readonly string[] {
  return recordsAt(object, "status", "loadBalancer", "ingress").map(
    (one) => stringAt(one, "ip") ?? stringAt(one, "hostname") ?? "",
  );
}

function portText(port: JsonRecord): string {
  const nodePort = numberAt(port, "nodePort") ?? 0;
  const number = numberAt(port, "port") ?? 0;
  return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${stringAt(port, "protocol") ?? "TCP"}`;
}

function endpointTexts(subset: JsonRecord): readonly string[] {
  const addresses = recordsAt(subset, "addresses").map((address) => stringAt(address, "ip") ?? "");
  const ports = recordsAt(subset, "ports");
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((address) => `${address}:${numberAt(port, "port") ?? 0}`));
}

function texts(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter((one) => !isRecord(one)).map(String) : [];
}
