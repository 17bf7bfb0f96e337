/** What ends each part that was started, in the order of their starts. */
export type Stops = (() => unknown)[];

/** Ends what was started, the newest first. */
export async function stopAll(stops: Stops): Promise<void> {
  for (const stopOne of stops.splice(0).reverse()) await stopOne();
}

/** Starts something of several parts. `stop` ends them all; when a later part fails, those that started are ended. */
export async function startWhole<T extends object>(
  start: (stops: Stops) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const stops: Stops = [];
  const stop = () => stopAll(stops);
  try {
    return Object.assign(await start(stops), { stop });
  } catch (error) {
    await stop();
    throw error;
  }
}
