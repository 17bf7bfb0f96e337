// Builds the Table of a list or object.
import type { StoredObject } from "../storage/stored-object.ts";
import {
  apiServicePrinter,
  definitionPrinter,
  leasePrinter,
  namespacePrinter,
  nodePrinter,
} from "./cluster-printers.ts";
import { customPrinter, type PrinterColumn } from "./custom-printer.ts";
import { endpointsPrinter, ingressPrinter, servicePrinter } from "./network-printers.ts";
import { podPrinter } from "./pod-printer.ts";
import { configMapPrinter, eventPrinter, secretPrinter, serviceAccountPrinter } from "./record-printers.ts";
import type { Printer, PrintMoment, Table } from "./table.ts";
import {
  deploymentPrinter,
  hpaPrinter,
  replicaSetPrinter,
  replicationControllerPrinter,
  statefulSetPrinter,
} from "./workload-printers.ts";

const printers: Readonly<Record<string, Printer>> = {
  pods: podPrinter,
  "deployments.apps": deploymentPrinter,
  "replicasets.apps": replicaSetPrinter,
  "statefulsets.apps": statefulSetPrinter,
  replicationcontrollers: replicationControllerPrinter,
  "horizontalpodautoscalers.autoscaling": hpaPrinter,
  services: servicePrinter,
  endpoints: endpointsPrinter,
  "ingresses.networking.k8s.io": ingressPrinter,
  namespaces: namespacePrinter,
  nodes: nodePrinter,
  events: eventPrinter,
  "events.events.k8s.io": eventPrinter,
  configmaps: configMapPrinter,
  secrets: secretPrinter,
  serviceaccounts: serviceAccountPrinter,
  "leases.coordination.k8s.io": leasePrinter,
  "apiservices.apiregistration.k8s.io": apiServicePrinter,
  "customresourcedefinitions.apiextensions.k8s.io": definitionPrinter,
};

export interface TableForOptions extends PrintMoment {
  /** additionalPrinterColumns of a custom resource; an empty list gives name and age. */
  readonly printerColumns?: readonly PrinterColumn[];
}

/**
 * What `kubectl get` prints for objects of a resource ("pods", "deployments.apps"), all columns; undefined for a
 * resource that has no columns of its own here.
 */
export function tableFor(
  resource: string,
  objects: readonly StoredObject[],
  options: TableForOptions,
): Table | undefined {
  const printer =
    options.printerColumns === undefined ? printers[resource] : customPrinter(options.printerColumns);
  if (printer === undefined) return undefined;
  return {
    columnDefinitions: printer.columns,
    rows: objects.map((object) => ({ cells: printer.cells(object, options) })),
  };
}
