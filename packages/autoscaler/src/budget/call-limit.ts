// Limits API calls in flight, fairly by namespace.
import type { Clock } from "@plimsoll/component-base";
import { createFairQueue, createRunLimit, type KubeClient, type KubeRequest } from "@plimsoll/kube";

/** Lets so many calls run at a time; of the others, namespaces are served round-robin. */
export interface CallLimit {
  /** `namespace`: "" for a call that is of none. */
  run<T>(namespace: string, call: () => Promise<T>): Promise<T>;
}

/** How many calls may be set aside in this way, for each that may run. */
const slowPerPlace = 20;

export function createCallLimit({
  clock,
  atOnce,
}: {
  readonly clock: Clock;
  readonly atOnce: number;
}): CallLimit {
  const waiting = createFairQueue<() => void>();
  const limit = createRunLimit(clock, { concurrency: atOnce, maxSlow: atOnce * slowPerPlace }, pump);

  return {
    async run(namespace, call) {
      const end = await new Promise<() => void>((resolve) => {
        waiting.push(namespace, () => resolve(limit.begin(namespace)));
        pump();
      });
      try {
        return await call();
      } finally {
        end();
        pump();
      }
    },
  };

  /** A place is taken before who waits goes on. */
  function pump(): void {
    while (limit.hasCapacity) {
      const next = waiting.shift(limit.mayServe);
      if (next === undefined) return;
      next();
    }
  }
}

/** The same client, each of whose requests waits for its place. */
export function withLimits(client: KubeClient, limitOf: (request: KubeRequest) => CallLimit): KubeClient {
  return {
    ...client,
    request: (request) => limitOf(request).run(namespaceOf(request.path), () => client.request(request)),
  };
}

function namespaceOf(path: string): string {
  return /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? "";
}
