// The pods of a step: ready, with a page or with an address that must not be read.
import type { StoredObject } from "@plimsoll/sandbox";
import { type PageFault, pageFaults } from "./page-faults.ts";
import { forbiddenAddress, tenantAddress, victimAddress } from "./pod-addresses.ts";
import { tenant } from "./victim.ts";

/** Where a pod says that it is. */
export type PodPlace =
  /** Its own address. */
  | "own"
  | "host-network"
  /** Beyond the addresses of pods: that of the API server, for example. */
  | "outside"
  /** It has ended, and its address has gone to a pod of the victim. */
  | "reused"
  /** It declares another port than that of the rule. */
  | "undeclared";

/** Pods with the label `pages`, and a page of metrics at the port `metrics`. */
export interface PodsStep {
  readonly pages?: PageFault;
  readonly place?: PodPlace;
  readonly copies?: number;
}

interface Ports {
  readonly port: number;
  readonly victimPort: number;
}

export const podPlaces: readonly PodPlace[] = ["own", "host-network", "outside", "reused", "undeclared"];

export function podsOf(pods: PodsStep | undefined, suffix: string, ports: Ports): readonly StoredObject[] {
  if (pods === undefined) return [];
  const { pages = "page", place = "own", copies = 1 } = pods;
  return Array.from({ length: copies }, (_, n) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `page-${suffix}-${n}`, namespace: tenant, labels: { pages, group: `g${n % 50}` } },
    spec: {
      nodeName: "node-1",
      hostNetwork: place === "host-network",
      containers: [
        {
          name: "app",
          image: "registry.example/app:1",
          ports: [{ name: "metrics", containerPort: portOf(place, ports) }],
        },
      ],
    },
    status: {
      phase: place === "reused" ? "Succeeded" : "Running",
      podIP: addressOf(place, pageFaults.indexOf(pages), n),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    },
  }));
}

function portOf(place: PodPlace, { port, victimPort }: Ports): number {
  if (place === "undeclared") return 1;
  return place === "reused" ? victimPort : port;
}

function addressOf(place: PodPlace, kind: number, n: number): string {
  if (place === "own") return tenantAddress(kind, n);
  if (place === "outside") return "127.0.0.1";
  return place === "reused" ? victimAddress(n % 3) : forbiddenAddress(n);
}
