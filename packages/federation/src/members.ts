// The backends of a file, each with what it lists.
import { type Backend, type BackendSeams, createBackend } from "./backend/backend.ts";
import { createLookUp, type LookUpAll } from "./backend/look-up.ts";
import type { FederationConfig } from "./config/federation-config.ts";
import { type BackendDiscovery, createBackendDiscovery } from "./discovery/backend-discovery.ts";
import type { BackendState } from "./telemetry.ts";

/** A backend with what it lists. */
export interface MemberBackend extends Backend, Pick<BackendDiscovery, "lists"> {
  readonly discovery: BackendDiscovery;
}

/** What a process gives. */
export interface MemberOptions extends Omit<BackendSeams, "lookUp"> {
  readonly config: FederationConfig;
  readonly discoveryMaxAgeMs: number;
  /** Default: those of the runtime. */
  readonly random?: () => number;
  readonly lookUp?: LookUpAll;
}

/** In the order of the file. Nothing is read or sent before start. */
export function createMembers(options: MemberOptions): readonly MemberBackend[] {
  const { config, clock, log, random = Math.random, discoveryMaxAgeMs: maxAgeMs } = options;
  const lookUp = createLookUp(clock, options.lookUp);
  return config.backends.map((one) => {
    const backend = createBackend(one, { ...options, lookUp });
    const discovery = createBackendDiscovery({ backend, maxAgeMs, clock, log, random });
    return { ...backend, discovery, lists: discovery.lists };
  });
}

/** @throws Error, which names the backend, when one of its files cannot be read. */
export async function startMember(member: MemberBackend): Promise<void> {
  try {
    await member.start();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`backend ${member.config.name}: ${message}`, { cause: error });
  }
}

/** How it is now. */
export function stateOf({ config, discovery, circuitProblem }: MemberBackend): BackendState {
  const metrics = config.groups.reduce((sum, group) => sum + discovery.names(group).size, 0);
  return {
    name: config.name,
    isOpen: circuitProblem() !== undefined,
    readAtMs: discovery.readAtMs(),
    metrics,
  };
}
