import type { KubeClient } from "@plimsoll/kube";

/** How long a path of the API server was without a good response, at worst. */
export interface OutageWatch {
  readonly maxMs: number;
  /** How many were good. */
  readonly answers: number;
  /** The answers that were not good. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

const everyMs = 20;
const timeoutMs = 5_000;

/**
 * Asks again and again, as autoscalers do, only more often. An outage lasts from the last question that was answered
 * to the first response after it, so what is reported is never too short.
 */
export function watchForOutages(client: KubeClient, path: string): OutageWatch {
  const failures: string[] = [];
  const ending = new AbortController();
  let maxMs = 0;
  let answers = 0;
  const run = async () => {
    let lastGoodAt = performance.now();
    let isOut = false;
    while (!ending.signal.aborted) {
      const askedAt = performance.now();
      try {
        await client.request({ path, timeoutMs });
        answers += 1;
        if (isOut) maxMs = Math.max(maxMs, performance.now() - lastGoodAt);
        lastGoodAt = askedAt;
        isOut = false;
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
        isOut = true;
      }
      // One request in each period.
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    if (isOut) maxMs = Math.max(maxMs, performance.now() - lastGoodAt);
  };
  const running = run();
  return {
    get answers() {
      return answers;
    },
    get maxMs() {
      return maxMs;
    },
    failures,
    async stop() {
      ending.abort();
      await running;
    },
  };
}
