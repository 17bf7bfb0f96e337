// The fields of a pod that the process kubelet reads.
import type { KubeObject } from "@plimsoll/kube";

/** What of a pod is needed to run it. */
export interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly containers?: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
  readonly status?: { readonly phase?: string };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly readinessProbe?: Probe;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: string };
  readonly periodSeconds?: number;
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

/**
 * The address that a pod has in its status, which must not be on loopback, and the one on which its process listens.
 * A machine has all of 127.0.0.0/8 without being root.
 */
export function podAddresses(
  network: number,
  serial: number,
): { readonly ip: string; readonly local: string } {
  const host = `${(serial >> 8) & 255}.${serial & 255}`;
  return { ip: `10.${network}.${host}`, local: localAddress(`10.${network}.${host}`) };
}

export function localAddress(podIp: string): string {
  return podIp.replace(/^10\./, "127.");
}
