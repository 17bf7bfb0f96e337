// What the two threads of the watchdog share: places in an array of integers.

/** How often a timer of the main thread ran. */
export const beatCount = 0;
/** How often the main thread was interrupted. */
export const interruptionCount = 1;
