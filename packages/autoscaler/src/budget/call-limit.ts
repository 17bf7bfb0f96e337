import type { Clock } from "@plimsoll/component-base";
import { createFairQueue, createPlaces, type KubeClient, type KubeRequest } from "@plimsoll/kube";

/** Lets so many calls run at a time; of the others, namespaces are served round-robin. */
export interface CallLimit {
  /** `namespace`: "" for a call that is of none. */
  run<T>(namespace: string, call: () => Promise<T>): Promise<T>;
}

/** A call that takes longer waits for a slow server, and does not count any more, so that the next call starts. */
const slowAfterMs = 500;
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
  const slowPlaces = createPlaces(atOnce * slowPerPlace);
  let active = 0;

  return {
    async run(namespace, call) {
      await new Promise<void>((resolve) => {
        waiting.push(namespace, resolve);
        pump();
      });
      let isSlow = false;
      const cancel = clock.after(slowAfterMs, () => {
        if (!slowPlaces.take(namespace)) return;
        isSlow = true;
        active--;
        pump();
      });
      try {
        return await call();
      } finally {
        cancel();
        if (isSlow) slowPlaces.release(namespace);
        else active--;
        pump();
      }
    },
  };

  /** A place is taken before who waits goes on. */
  function pump(): void {
    while (active < atOnce) {
      const next = waiting.shift(slowPlaces.isWithinShare);
      if (next === undefined) return;
      active++;
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
