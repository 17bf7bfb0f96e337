// The simulated nodes.
import { timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";

export interface NodeSize {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

const defaultSize: NodeSize = { cpu: "32", memory: "128Gi", pods: "110000" };

/** Names of the simulated nodes, `sandbox-node-1` and so on. */
export function nodeNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `sandbox-node-${index + 1}`);
}

/** A Ready node, as a kubelet would have registered it. */
export function nodeObject(options: {
  name: string;
  number: number;
  nowMs: number;
  size?: NodeSize;
}): StoredObject {
  const now = timestamp(options.nowMs);
  const size = options.size ?? defaultSize;
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: options.name,
      labels: {
        "kubernetes.io/hostname": options.name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
      },
    },
    spec: { podCIDR: `10.${63 + options.number}.0.0/16` },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [
        condition(
          "MemoryPressure",
          "False",
          "KubeletHasSufficientMemory",
          "kubelet has sufficient memory available",
        ),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
      ],
      addresses: [
        { type: "InternalIP", address: nodeAddress(options.number) },
        { type: "Hostname", address: options.name },
      ],
      nodeInfo: {
        kubeletVersion: "v1.37.0",
        osImage: "Plimsoll Sandbox",
        kernelVersion: "6.12.0",
        containerRuntimeVersion: "simulated://1.0.0",
        operatingSystem: "linux",
        architecture: "amd64",
      },
    },
  };
}

/** The address of the nth node, counted from 1. */
export function nodeAddress(number: number): string {
  return `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}
