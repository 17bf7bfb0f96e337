/** Calls listeners in turn; one that throws, or rejects, disturbs neither the rest nor the caller. */
export function createFanOut<E>(
  onError: (error: unknown) => void,
  ended: AbortSignal,
): { publish(event: E): void; subscribe(listener: (event: E) => void): () => void } {
  const listeners = new Set<{ readonly listen: (event: E) => unknown }>();
  return {
    publish(event) {
      for (const { listen } of listeners) {
        if (ended.aborted) return;
        try {
          const result = listen(event);
          if (result instanceof Promise) result.catch(onError);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      const entry = { listen: listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}
