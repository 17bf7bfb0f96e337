// The network between processes and servers: every request takes time, and may fail on either way.
import type { KubeClient } from "@plimsoll/kube";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import { createClient, type Passage, passageOf, sentOf } from "./client.ts";
import type { NetworkFault } from "./faults.ts";
import type { Server } from "./server.ts";
import type { NetworkOptions, Wire } from "./wire.ts";

export type { ItemFault, ListedItem, NetworkFault, RequestFault, WatchFault } from "./faults.ts";
export type { Server, ServerRequest, ServerResponse } from "./server.ts";

export interface Network {
  /** A client of `server` for a process: its requests take time, its responses pass `process.deliver`. */
  clientOf(process: SimulatedProcess, server: Server): KubeClient;
  /** What becomes of a GET of a process that no server here responds to. */
  passageOf(process: SimulatedProcess, path: string): Passage;
  /** Puts a fault in place; also open watches are looked at again. Returns what removes it. */
  add(fault: NetworkFault): () => void;
}

export function createNetwork(options: NetworkOptions): Network {
  const faults = new Set<NetworkFault>();
  const watches = new Set<() => void>();
  const counts = new Map<string, number>();
  const wire: Wire = {
    ...options,
    watches,
    fateOf(request, random) {
      for (const { ofRequest } of faults) {
        const fault = ofRequest?.(request, random);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
    fateOfWatch(request, random) {
      for (const { ofWatch } of faults) {
        const fault = ofWatch?.(request, random);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
    fatesOfItems() {
      const some = [...faults].flatMap(({ ofItem }) => ofItem ?? []);
      if (some.length === 0) return undefined;
      return (request, item) => {
        for (const ofItem of some) {
          const fault = ofItem(request, item);
          if (fault !== undefined) return fault;
        }
        return undefined;
      };
    },
    nextRandom({ name, run }) {
      const sender = `${name}/${run}`;
      const count = (counts.get(sender) ?? 0) + 1;
      counts.set(sender, count);
      return options.random.stream(`${sender}/${count}`);
    },
  };

  function lookAgain(): void {
    for (const look of watches) look();
  }

  return {
    clientOf: (process, server) => createClient(wire, process, server),
    passageOf(process, path) {
      const request = sentOf({ path }, process.name, options.time.nowMs);
      return passageOf(wire, request, wire.nextRandom(process));
    },
    add(fault) {
      faults.add(fault);
      lookAgain();
      return () => {
        faults.delete(fault);
        lookAgain();
      };
    },
  };
}
