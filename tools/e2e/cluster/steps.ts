import type { StoredObject } from "@plimsoll/sandbox";
import { type ClusterStack, until } from "@plimsoll/testbed";

export const workloads = ["router", "shop", "worker", "api"] as const;
export type Workload = (typeof workloads)[number];
export type Replicas = Readonly<Record<Workload, number>>;

/** Total loads, and the replicas that ⌈load ÷ target⌉ asks for; cpu in cores. */
export interface Step {
  readonly router: number;
  readonly shop: number;
  readonly worker: number;
  readonly api: number;
  readonly apiCpu: number;
  readonly replicas: Replicas;
}

const quiet: Step = {
  router: 700,
  shop: 1500,
  worker: 24,
  api: 350,
  apiCpu: 0.16,
  replicas: { router: 1, shop: 1, worker: 1, api: 1 },
};
/** Packets decide for `api`. */
const rising: Step = {
  router: 2600,
  shop: 3900,
  worker: 60,
  api: 1150,
  apiCpu: 0.16,
  replicas: { router: 3, shop: 2, worker: 2, api: 3 },
};
/** The cpu decides for `api`: 1.4 cores at 60 % of requests of 0.5. */
const spike: Step = {
  router: 5750,
  shop: 9400,
  worker: 140,
  api: 1150,
  apiCpu: 1.4,
  replicas: { router: 6, shop: 5, worker: 5, api: 5 },
};
export const steps: readonly Step[] = [quiet, rising, spike, quiet];
export const peak = spike.replicas;

export function setLoad(stack: ClusterStack, step: Step): void {
  stack.load.set("default/router", step.router, "packets");
  stack.load.set("default/main-route", step.shop, "requests");
  stack.load.set("default/orders", step.worker, "queue");
  stack.load.set("default/api", step.api, "packets");
  stack.load.set("default/api", step.apiCpu, "cpu");
}

/** Plays the steps. Gives the replicas that each step came to rest at, and the most that each workload ever had. */
export async function playSteps(
  stack: ClusterStack,
): Promise<{ readonly settled: readonly Replicas[]; readonly most: Replicas }> {
  const most: Record<Workload, number> = { router: 0, shop: 0, worker: 0, api: 0 };
  const unsubscribe = stack.store.subscribe(({ resource, object }) => {
    if (resource !== "deployments.apps") return;
    for (const name of workloads) {
      if (object.metadata.name === name) most[name] = Math.max(most[name], specReplicas(object));
    }
  });
  const settled: Replicas[] = [];
  try {
    for (const step of steps) {
      setLoad(stack, step);
      settled.push(await settle(stack, step.replicas));
    }
  } finally {
    unsubscribe();
  }
  return { settled, most };
}

const restMs = 3_000;

/** Waits until the workloads have these replicas, all Ready, and have had nothing else for a while. */
async function settle(stack: ClusterStack, wanted: Replicas): Promise<Replicas> {
  let restsSince: number | undefined;
  let seen = current(stack);
  await until(`the replicas ${JSON.stringify(wanted)}`, () => {
    seen = current(stack);
    const isThere = workloads.every((name) => seen[name] === wanted[name] && isReady(stack, name));
    restsSince = isThere ? (restsSince ?? performance.now()) : undefined;
    return restsSince !== undefined && performance.now() - restsSince > restMs ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`it came to ${JSON.stringify(seen)}`, { cause: error });
  });
  return seen;
}

function current(stack: ClusterStack): Replicas {
  const of = (name: Workload) => specReplicas(stack.store.get("deployments.apps", "default", name));
  return { router: of("router"), shop: of("shop"), worker: of("worker"), api: of("api") };
}

function isReady(stack: ClusterStack, name: Workload): boolean {
  const object = stack.store.get("deployments.apps", "default", name);
  const status = object?.status as { replicas?: number; readyReplicas?: number } | undefined;
  return status?.replicas === specReplicas(object) && status?.readyReplicas === specReplicas(object);
}

function specReplicas(object: StoredObject | undefined): number {
  return (object?.spec as { replicas?: number } | undefined)?.replicas ?? 0;
}
