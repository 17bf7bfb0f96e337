/** Tells listeners one after the other; one that throws, or rejects, disturbs neither the rest nor the teller. */
export function createFanOut<E>(
  onError: (error: unknown) => void,
  ended: AbortSignal,
): { tell(event: E): void; subscribe(listener: (event: E) => void): () => void } {
  const listeners = new Set<{ readonly hear: (event: E) => unknown }>();
  return {
    tell(event) {
      for (const { hear } of listeners) {
        if (ended.aborted) return;
        try {
          const result = hear(event);
          if (result instanceof Promise) result.catch(onError);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      const entry = { hear: listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}
