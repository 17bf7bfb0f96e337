// How long the adapter continues to serve after SIGTERM.

/** How long a pod serves on after the signal when no flag says it: others need a moment to learn that it is leaving. */
export const podShutdownDelayMs = 5_000;
/** How long requests in flight may take after that. With the delay less than the 30 s that a pod mostly has. */
export const drainMs = 20_000;
