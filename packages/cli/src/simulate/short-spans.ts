import type { Series } from "@plimsoll/simulator";

/** A time in which there were fewer pods than the load needed. */
export interface ShortSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many were short, on average. */
  readonly pods: number;
}

/** Such times, the worst first. */
export function shortSpans({ startMs, bucketMs, short }: Series): readonly ShortSpan[] {
  const spans: { from: number; to: number; podSeconds: number }[] = [];
  for (const [bucket, podSeconds] of short.entries()) {
    if (podSeconds <= 0) continue;
    const last = spans.at(-1);
    if (last !== undefined && last.to === bucket) {
      last.to++;
      last.podSeconds += podSeconds;
    } else spans.push({ from: bucket, to: bucket + 1, podSeconds });
  }
  return spans
    .sort((a, b) => b.podSeconds - a.podSeconds)
    .map(({ from, to, podSeconds }) => ({
      fromMs: Math.floor(startMs + from * bucketMs),
      toMs: Math.floor(startMs + to * bucketMs),
      pods: podSeconds / (((to - from) * bucketMs) / 1000),
    }));
}
