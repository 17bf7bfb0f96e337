// Reads of pods what scaling depends on: readiness, requests, labels.
import { readQuantityEntry } from "../wire/maps.ts";
import {
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  ResourceRequirements,
} from "../wire/numbers.ts";
import { readEnd, readVarint, skipField, type WireReader } from "../wire/reader.ts";
import { readSharedText, readText } from "../wire/strings.ts";
import { readTime } from "../wire/times.ts";
import { noMetadata, type ReadObject, readMetadata } from "./metadata.ts";

interface ReadResources {
  readonly requests: Readonly<Record<string, string>> | undefined;
}

interface ReadPort {
  readonly name: string | undefined;
  readonly containerPort: number;
}

interface ReadContainer {
  readonly name: string;
  readonly ports: readonly ReadPort[] | undefined;
  readonly resources: ReadResources | undefined;
  readonly restartPolicy: string | undefined;
}

interface ReadCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string | null | undefined;
}

interface ReadContainerStatus {
  readonly name: string;
  readonly state: { readonly running: object | undefined };
}

/** A pod as JSON has it, without the fields that are not read. */
export interface ReadPod extends ReadObject {
  readonly spec: {
    readonly containers: readonly ReadContainer[];
    readonly initContainers: readonly ReadContainer[] | undefined;
    readonly hostNetwork: true | undefined;
    readonly resources: ReadResources | undefined;
    readonly overhead: Readonly<Record<string, string>> | undefined;
  };
  readonly status: {
    readonly phase: string | undefined;
    readonly conditions: readonly ReadCondition[] | undefined;
    readonly podIP: string | undefined;
    readonly startTime: string | undefined;
    readonly containerStatuses: readonly ReadContainerStatus[] | undefined;
    readonly initContainerStatuses: readonly ReadContainerStatus[] | undefined;
  };
}

const noSpec: ReadPod["spec"] = {
  containers: [],
  initContainers: undefined,
  hostNetwork: undefined,
  resources: undefined,
  overhead: undefined,
};
const noStatus: ReadPod["status"] = {
  phase: undefined,
  conditions: undefined,
  podIP: undefined,
  startTime: undefined,
  containerStatuses: undefined,
  initContainerStatuses: undefined,
};

export function readPod(reader: WireReader, end: number): ReadPod {
  const own = readEnd(reader, end);
  let metadata = noMetadata;
  let spec = noSpec;
  let status = noStatus;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === Pod.metadata) metadata = readMetadata(reader, own);
    else if (tag === Pod.spec) spec = readSpec(reader, own);
    else if (tag === Pod.status) status = readStatus(reader, own);
    else skipField(reader, tag, own);
  }
  return { metadata, spec, status };
}

function readSpec(reader: WireReader, end: number): ReadPod["spec"] {
  const own = readEnd(reader, end);
  const containers: ReadContainer[] = [];
  let initContainers: ReadContainer[] | undefined;
  let hostNetwork: true | undefined;
  let resources: ReadResources | undefined;
  let overhead: Record<string, string> | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === PodSpec.containers) containers.push(readContainer(reader, own));
    else if (tag === PodSpec.initContainers) (initContainers ??= []).push(readContainer(reader, own));
    else if (tag === PodSpec.hostNetwork) hostNetwork = readVarint(reader, own) === 0 ? undefined : true;
    else if (tag === PodSpec.resources) resources = readResources(reader, own);
    else if (tag === PodSpec.overhead) readQuantityEntry(reader, own, (overhead ??= {}));
    else skipField(reader, tag, own);
  }
  return { containers, initContainers, hostNetwork, resources, overhead };
}

function readContainer(reader: WireReader, end: number): ReadContainer {
  const own = readEnd(reader, end);
  let name = "";
  let ports: ReadPort[] | undefined;
  let resources: ReadResources | undefined;
  let restartPolicy: string | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === Container.name) name = readSharedText(reader, own);
    else if (tag === Container.ports) (ports ??= []).push(readPort(reader, own));
    else if (tag === Container.resources) resources = readResources(reader, own);
    else if (tag === Container.restartPolicy) restartPolicy = readSharedText(reader, own);
    else skipField(reader, tag, own);
  }
  return { name, ports, resources, restartPolicy };
}

function readPort(reader: WireReader, end: number): ReadPort {
  const own = readEnd(reader, end);
  let name = "";
  let containerPort = 0;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ContainerPort.name) name = readSharedText(reader, own);
    else if (tag === ContainerPort.containerPort) containerPort = readVarint(reader, own);
    else skipField(reader, tag, own);
  }
  return { name: name || undefined, containerPort };
}

function readResources(reader: WireReader, end: number): ReadResources {
  const own = readEnd(reader, end);
  let requests: Record<string, string> | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ResourceRequirements.requests) readQuantityEntry(reader, own, (requests ??= {}));
    else skipField(reader, tag, own);
  }
  return { requests };
}

function readStatus(reader: WireReader, end: number): ReadPod["status"] {
  const own = readEnd(reader, end);
  let phase = "";
  let conditions: ReadCondition[] | undefined;
  let podIP = "";
  let startTime: string | null = null;
  let containerStatuses: ReadContainerStatus[] | undefined;
  let initContainerStatuses: ReadContainerStatus[] | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === PodStatus.phase) phase = readSharedText(reader, own);
    else if (tag === PodStatus.conditions) (conditions ??= []).push(readCondition(reader, own));
    else if (tag === PodStatus.podIP) podIP = readText(reader, own);
    else if (tag === PodStatus.startTime) startTime = readTime(reader, own);
    else if (tag === PodStatus.containerStatuses)
      (containerStatuses ??= []).push(readContainerStatus(reader, own));
    else if (tag === PodStatus.initContainerStatuses)
      (initContainerStatuses ??= []).push(readContainerStatus(reader, own));
    else skipField(reader, tag, own);
  }
  return {
    phase: phase || undefined,
    conditions,
    podIP: podIP || undefined,
    startTime: startTime ?? undefined,
    containerStatuses,
    initContainerStatuses,
  };
}

function readContainerStatus(reader: WireReader, end: number): ReadContainerStatus {
  const own = readEnd(reader, end);
  let name = "";
  let state: ReadContainerStatus["state"] = notRunning;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ContainerStatus.name) name = readSharedText(reader, own);
    else if (tag === ContainerStatus.state) state = readState(reader, own);
    else skipField(reader, tag, own);
  }
  return { name, state };
}

const notRunning = { running: undefined };
const running = { running: {} };

function readState(reader: WireReader, end: number): ReadContainerStatus["state"] {
  const own = readEnd(reader, end);
  let state: ReadContainerStatus["state"] = notRunning;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ContainerState.running) state = running;
    skipField(reader, tag, own);
  }
  return state;
}

function readCondition(reader: WireReader, end: number): ReadCondition {
  const own = readEnd(reader, end);
  let type = "";
  let status = "";
  let lastTransitionTime: string | null | undefined;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === PodCondition.type) type = readSharedText(reader, own);
    else if (tag === PodCondition.status) status = readSharedText(reader, own);
    else if (tag === PodCondition.lastTransitionTime) lastTransitionTime = readTime(reader, own);
    else skipField(reader, tag, own);
  }
  return { type, status, lastTransitionTime };
}
