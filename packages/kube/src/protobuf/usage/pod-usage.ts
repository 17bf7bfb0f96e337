// Reads the usage of pods from metrics.k8s.io.
import type { KindReader } from "../envelope.ts";
import { put, readLabels, readQuantityEntry } from "../wire/maps.ts";
import { ContainerMetrics, ObjectMeta, PodMetrics } from "../wire/numbers.ts";
import { readEnd, readVarint, skipField, type WireReader } from "../wire/reader.ts";
import { readSharedText, readText } from "../wire/strings.ts";
import { readDuration, readTime } from "../wire/times.ts";

/** Quantities by resource. */
type Usage = Readonly<Record<string, string>>;

/** The usage of one pod. */
export interface PodUsage {
  /** "" where the item has none. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** RFC 3339. */
  readonly timestamp: string | undefined;
  /** Nanoseconds. */
  readonly windowNs: number | undefined;
  /** By the name of the container. Of two containers of one name the last counts. */
  readonly containers: Readonly<Record<string, Usage>>;
}

/** Reads PodMetrics; a list of them is large, and is read in every period. */
export const podUsageReader: KindReader<PodUsage> = {
  apiVersion: "metrics.k8s.io/v1beta1",
  kind: "PodMetrics",
  hasShortTexts: true,
  read: readPodUsage,
};

function readPodUsage(reader: WireReader, end: number): PodUsage {
  const own = readEnd(reader, end);
  let metadata: Pick<PodUsage, "name" | "namespace" | "labels"> = unnamed;
  let timestamp: string | null = null;
  let windowNs: number | undefined;
  const containers: Record<string, Usage> = {};
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === PodMetrics.metadata) metadata = readNames(reader, own);
    else if (tag === PodMetrics.timestamp) timestamp = readTime(reader, own);
    else if (tag === PodMetrics.window) windowNs = readDuration(reader, own);
    else if (tag === PodMetrics.containers) readContainer(reader, own, containers);
    else skipField(reader, tag, own);
  }
  const { name, namespace, labels } = metadata;
  return { name, namespace, labels, timestamp: timestamp ?? undefined, windowNs, containers };
}

const unnamed = { name: "", namespace: "", labels: undefined };

function readNames(reader: WireReader, end: number): Pick<PodUsage, "name" | "namespace" | "labels"> {
  const own = readEnd(reader, end);
  let name = "";
  let namespace = "";
  let labels: PodUsage["labels"];
  while (reader.at < own) {
    const start = reader.at;
    const tag = readVarint(reader, own);
    if (tag === ObjectMeta.name) name = readText(reader, own);
    else if (tag === ObjectMeta.namespace) namespace = readSharedText(reader, own);
    else if (tag === ObjectMeta.labels) labels = readLabels(reader, own, { tag, start });
    else skipField(reader, tag, own);
  }
  return { name, namespace, labels };
}

function readContainer(reader: WireReader, end: number, containers: Record<string, Usage>): void {
  const own = readEnd(reader, end);
  let name = "";
  const usage: Record<string, string> = {};
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ContainerMetrics.name) name = readSharedText(reader, own);
    else if (tag === ContainerMetrics.usage) readQuantityEntry(reader, own, usage);
    else skipField(reader, tag, own);
  }
  if (name !== "") put(containers, name, usage);
}
