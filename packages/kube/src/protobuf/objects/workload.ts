// Reads the scale of Deployments, ReplicaSets, StatefulSets and ReplicationControllers.
import { readTextEntry } from "../wire/maps.ts";
import {
  DeploymentStatus,
  LabelSelector,
  LabelSelectorRequirement,
  ReplicaSetStatus,
  Workload,
  WorkloadSpec,
} from "../wire/numbers.ts";
import { readEnd, readInt32, readVarint, skipField, type WireReader } from "../wire/reader.ts";
import { readSharedText } from "../wire/strings.ts";
import { noMetadata, type ReadObject, readMetadata } from "./metadata.ts";

type Labels = Record<string, string>;

interface ReadRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface ReadSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly ReadRequirement[];
}

/** A workload as JSON has it, without the fields that are not read. */
export interface ReadWorkload extends ReadObject {
  readonly spec: { readonly replicas?: number; readonly selector?: ReadSelector | Labels };
  readonly status: { readonly replicas?: number };
}

/** Adds a selector, or a part of one, to what was read before. */
type ReadSelectorPart = (
  reader: WireReader,
  end: number,
  before: ReadSelector | Labels | undefined,
) => ReadSelector | Labels;

type ReadWorkloadFrom = (reader: WireReader, end: number) => ReadWorkload;

/** Deployments and StatefulSets, which have the same places. */
export const readDeployment = workloadReader(DeploymentStatus.replicas, readSelector);
export const readReplicaSet = workloadReader(ReplicaSetStatus.replicas, readSelector);
export const readReplicationController = workloadReader(ReplicaSetStatus.replicas, addLabel);

function workloadReader(replicasTag: number, selector: ReadSelectorPart): ReadWorkloadFrom {
  return (reader, end) => {
    const own = readEnd(reader, end);
    let metadata = noMetadata;
    let spec: ReadWorkload["spec"] = {};
    let status: ReadWorkload["status"] = {};
    while (reader.at < own) {
      const tag = readVarint(reader, own);
      if (tag === Workload.metadata) metadata = readMetadata(reader, own);
      else if (tag === Workload.spec) spec = readSpec(reader, own, selector);
      else if (tag === Workload.status) status = readStatus(reader, own, replicasTag);
      else skipField(reader, tag, own);
    }
    return { metadata, spec, status };
  };
}

function readSpec(reader: WireReader, end: number, readPart: ReadSelectorPart): ReadWorkload["spec"] {
  const own = readEnd(reader, end);
  let replicas: number | undefined;
  let selector: ReadSelector | Labels | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === WorkloadSpec.replicas) replicas = readInt32(reader, own);
    else if (tag === WorkloadSpec.selector) selector = readPart(reader, own, selector);
    else skipField(reader, tag, own);
  }
  return {
    ...(replicas === undefined ? undefined : { replicas }),
    ...(selector === undefined ? undefined : { selector }),
  };
}

function readStatus(reader: WireReader, end: number, replicasTag: number): ReadWorkload["status"] {
  const own = readEnd(reader, end);
  let replicas = 0;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === replicasTag) replicas = readInt32(reader, own);
    else skipField(reader, tag, own);
  }
  return { replicas };
}

function addLabel(
  reader: WireReader,
  end: number,
  before: ReadSelector | Labels | undefined,
): ReadSelector | Labels {
  const labels = (before ?? {}) as Labels;
  readTextEntry(reader, end, labels);
  return labels;
}

function readSelector(reader: WireReader, end: number): ReadSelector {
  const own = readEnd(reader, end);
  let matchLabels: Labels | undefined;
  let matchExpressions: ReadRequirement[] | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === LabelSelector.matchLabels) readTextEntry(reader, own, (matchLabels ??= {}));
    else if (tag === LabelSelector.matchExpressions)
      (matchExpressions ??= []).push(readRequirement(reader, own));
    else skipField(reader, tag, own);
  }
  return {
    ...(matchLabels === undefined ? undefined : { matchLabels }),
    ...(matchExpressions === undefined ? undefined : { matchExpressions }),
  };
}

function readRequirement(reader: WireReader, end: number): ReadRequirement {
  const own = readEnd(reader, end);
  let key = "";
  let operator = "";
  let values: string[] | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === LabelSelectorRequirement.key) key = readSharedText(reader, own);
    else if (tag === LabelSelectorRequirement.operator) operator = readSharedText(reader, own);
    else if (tag === LabelSelectorRequirement.values) (values ??= []).push(readSharedText(reader, own));
    else skipField(reader, tag, own);
  }
  return { key, operator, ...(values === undefined ? undefined : { values }) };
}
