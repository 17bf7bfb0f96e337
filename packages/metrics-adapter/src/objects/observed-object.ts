// The metadata of objects that the adapter keeps.
import { type Fields, fieldsOf, listOf, textOf } from "@plimsoll/core/internal/values";
import type { KubeObject, ProtobufKind, ResourceInfo } from "@plimsoll/kube";
import { metadataReader, podReader } from "@plimsoll/kube/protobuf";

/** All that is kept of an object. */
export interface ObservedObject extends KubeObject {
  /** Pods only. */
  readonly phase: string | undefined;
  /** The names of a pod's containers that should have usage: neither init containers that end, nor those that do not run. */
  readonly running: readonly string[] | undefined;
  /** Where a pod can be scraped; undefined without an address. */
  readonly endpoint: PodEndpoint | undefined;
}

export interface PodEndpoint {
  readonly ip: string;
  readonly isReady: boolean;
  /** It is being deleted. */
  readonly isEnding: boolean;
  /** Its address is its node's. */
  readonly isOfNode: boolean;
  /** Declared ports by container. */
  readonly ports: readonly ContainerPort[];
}

export interface ContainerPort {
  readonly container: string;
  readonly name: string | undefined;
  readonly number: number;
}

/** Cuts an object down on arrival: names and labels select, a pod's phase and containers say what runs. */
export function projectObject(raw: KubeObject): ObservedObject {
  const { name, namespace, uid, labels, resourceVersion } = raw.metadata;
  const spec = fieldsOf("spec" in raw ? raw.spec : undefined);
  const status = fieldsOf("status" in raw ? raw.status : undefined);
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    phase: textOf(status["phase"]) || undefined,
    running: runningContainers(spec, status),
    endpoint: endpointOf(raw, spec, status),
  };
}

function runningContainers(spec: Fields, status: Fields): readonly string[] | undefined {
  if (!Array.isArray(spec["containers"])) return undefined;
  const fieldsIn = (list: unknown): readonly Fields[] => listOf(list).map(fieldsOf);
  const sidecars = fieldsIn(spec["initContainers"]).filter((one) => one["restartPolicy"] === "Always");
  const statuses = [...fieldsIn(status["containerStatuses"]), ...fieldsIn(status["initContainerStatuses"])];
  const stopped = new Set(
    statuses.filter(({ state }) => fieldsOf(state)["running"] === undefined).map(({ name }) => name),
  );
  return [...fieldsIn(spec["containers"]), ...sidecars]
    .map(({ name }) => textOf(name))
    .filter((name) => !stopped.has(name));
}

function endpointOf({ metadata }: KubeObject, spec: Fields, status: Fields): PodEndpoint | undefined {
  const ip = textOf(status["podIP"]);
  if (ip === "" || !Array.isArray(spec["containers"])) return undefined;
  const ports = [...listOf(spec["containers"]), ...listOf(spec["initContainers"])].flatMap((container) => {
    const { name, ports: declared } = fieldsOf(container);
    return listOf(declared).map((port): ContainerPort => {
      const { name: portName, containerPort } = fieldsOf(port);
      return { container: textOf(name), name: textOf(portName) || undefined, number: Number(containerPort) };
    });
  });
  const isReady = listOf(status["conditions"])
    .map(fieldsOf)
    .some((one) => one["type"] === "Ready" && one["status"] === "True");
  const isEnding = metadata.deletionTimestamp !== undefined;
  return { ip, isReady, isEnding, isOfNode: spec["hostNetwork"] === true, ports };
}

/**
 * How objects of a resource are read from protobuf; undefined where their messages may not be those of Kubernetes itself. Servers
 * send custom resources as JSON in any case.
 */
export function observedKind(
  info: Pick<ResourceInfo, "group" | "version" | "resource" | "kind">,
): ProtobufKind | undefined {
  const { group, version, resource, kind } = info;
  if (group.includes(".") && !group.endsWith(".k8s.io")) return undefined;
  if (group === "" && resource === "pods") return podReader;
  return metadataReader(group === "" ? version : `${group}/${version}`, kind);
}
