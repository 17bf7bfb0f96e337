// Columns of kubectl get for ConfigMaps, Secrets, ServiceAccounts and Events.
import { type JsonRecord, numberAt, recordAt, recordsAt, stringAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { ageSince } from "./human-duration.ts";
import { columns, type Printer } from "./table.ts";

export const configMapPrinter: Printer = {
  columns: columns("Name", "Data", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    keyCount(object, "data") + keyCount(object, "binaryData"),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

export const secretPrinter: Printer = {
  columns: columns("Name", "Type", "Data", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    stringAt(object, "type") ?? "",
    keyCount(object, "data"),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

export const serviceAccountPrinter: Printer = {
  columns: columns("Name", "Secrets", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    recordsAt(object, "secrets").length,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

/** core/v1 and events.k8s.io/v1 alike. @upstream pkg/printers/internalversion/printers.go#printEvent */
export const eventPrinter: Printer = {
  columns: columns(
    "Last Seen",
    "Type",
    "Reason",
    "Object",
    "+Subobject",
    "+Source",
    "Message",
    "+First Seen",
    "+Count",
    "+Name",
  ),
  cells: (event, { nowMs }) => {
    const about = recordAt(event, "involvedObject") ?? recordAt(event, "regarding");
    const series = recordAt(event, "series");
    const first = firstSeen(event);
    const last = stringAt(series, "lastObservedTime") ?? seen(event, "lastTimestamp") ?? first;
    return [
      ageSince(last, nowMs),
      stringAt(event, "type") ?? "",
      stringAt(event, "reason") ?? "",
      objectText(about),
      stringAt(about, "fieldPath") ?? "",
      sourceText(event),
      (stringAt(event, "message") ?? stringAt(event, "note") ?? "").trim(),
      ageSince(first, nowMs),
      numberAt(series, "count") ?? (numberAt(event, "count") || numberAt(event, "deprecatedCount") || 1),
      event.metadata.name,
    ];
  },
};

function firstSeen(event: StoredObject): string | undefined {
  return seen(event, "firstTimestamp") ?? stringAt(event, "eventTime");
}

function seen(event: StoredObject, field: "firstTimestamp" | "lastTimestamp"): string | undefined {
  const deprecated = field === "firstTimestamp" ? "deprecatedFirstTimestamp" : "deprecatedLastTimestamp";
  return stringAt(event, field) ?? stringAt(event, deprecated);
}

function objectText(about: JsonRecord | undefined): string {
  const kind = (stringAt(about, "kind") ?? "").toLowerCase();
  const name = stringAt(about, "name") ?? "";
  return name === "" ? kind : `${kind}/${name}`;
}

function sourceText(event: StoredObject): string {
  const source = recordAt(event, "source") ?? recordAt(event, "deprecatedSource");
  const component =
    stringAt(source, "component") ||
    (stringAt(event, "reportingComponent") ?? stringAt(event, "reportingController"));
  const host = stringAt(source, "host") || stringAt(event, "reportingInstance");
  return [component, host].filter(Boolean).join(", ");
}

function keyCount(object: StoredObject, field: string): number {
  return Object.keys(recordAt(object, field) ?? {}).length;
}
