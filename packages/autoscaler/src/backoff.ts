/** How long to wait after each failure in a row: twice as long each time. */
export interface Backoff {
  failed(key: string, longestMs: number): number;
  succeeded(key: string): void;
}

export function createBackoff(firstMs: number): Backoff {
  const waits = new Map<string, number>();
  return {
    failed(key, longestMs) {
      const waitMs = Math.min(waits.get(key) ?? firstMs, longestMs);
      waits.set(key, Math.min(waitMs * 2, longestMs));
      return waitMs;
    },
    succeeded: (key) => void waits.delete(key),
  };
}
