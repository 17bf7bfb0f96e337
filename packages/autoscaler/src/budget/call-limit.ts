import type { Clock, KubeClient, KubeRequest } from "@plimsoll/kube";

/** Lets so many calls run at a time; the others wait in the order in which they came. */
export interface CallLimit {
  run<T>(call: () => Promise<T>): Promise<T>;
}

/** A call that takes longer is waiting for somebody slow, and makes room for the next. */
const slowAfterMs = 500;
/** How many calls may be set aside in this way, for each that may run. */
const slowPerPlace = 20;

export function createCallLimit(o: { readonly clock: Clock; readonly atOnce: number }): CallLimit {
  const waiting: (() => void)[] = [];
  let head = 0;
  let active = 0;
  let slow = 0;

  return {
    async run(call) {
      if (active >= o.atOnce) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      } else active++;
      let isSlow = false;
      const cancel = o.clock.after(slowAfterMs, () => {
        if (slow >= o.atOnce * slowPerPlace) return;
        isSlow = true;
        slow++;
        release();
      });
      try {
        return await call();
      } finally {
        cancel();
        if (isSlow) slow--;
        else release();
      }
    },
  };

  /** The place passes to the next in line, without being free in between. */
  function release(): void {
    const next = waiting[head];
    if (next === undefined) {
      active--;
      return;
    }
    head++;
    if (head > 1000 && head * 2 > waiting.length) {
      waiting.splice(0, head);
      head = 0;
    }
    next();
  }
}

/** The same client, each of whose requests waits for its place. */
export function withLimits(client: KubeClient, limitOf: (request: KubeRequest) => CallLimit): KubeClient {
  return { ...client, request: (request) => limitOf(request).run(() => client.request(request)) };
}
