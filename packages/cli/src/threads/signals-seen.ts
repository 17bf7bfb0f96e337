// Between two parts of long work: what happened meanwhile, such as an interruption, is seen.

/** Signals of the process are seen only while nothing else runs on its thread. */
export function signalsSeen(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
