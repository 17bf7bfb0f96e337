// What every program and package below it share: the clock, backoff, the logger's type, bounded caches.
export { backoffMs } from "./backoff/backoff.ts";
export {
  type BoundedCache,
  type BoundedCacheOptions,
  createBoundedCache,
  detached,
} from "./cache/bounded-cache.ts";
export { type CacheMeter, createCacheMeter } from "./cache/cache-meter.ts";
export { cacheTiming } from "./cache/cache-timing.ts";
export {
  type ComputedCache,
  type ComputedCacheOptions,
  createComputedCache,
} from "./cache/computed-cache.ts";
export { createEntryMeter, type EntryMeter, type KeyedEntries } from "./cache/entry-meter.ts";
export { createFairCache, type FairCache, type FairCacheOptions } from "./cache/fair-cache.ts";
export { getOrAdd } from "./cache/get-or-add.ts";
export { createInterner, type Interner } from "./cache/interner.ts";
export { lazily } from "./cache/lazily.ts";
export { createObjectIds } from "./cache/object-ids.ts";
export { type Clock, steadyNowMs, systemClock } from "./clock/clock.ts";
export { nextTurn, sleep, waitAtMost } from "./clock/sleep.ts";
export { DeadlineError, withDeadline } from "./clock/with-deadline.ts";
export { createLogLimiter } from "./logger/log-limiter.ts";
export type { Logger } from "./logger/logger.ts";
export { messageOf } from "./logger/message-of.ts";
export { type Awaitable, allOf, chain } from "./tasks/awaitable.ts";
export { forEachLimit } from "./tasks/for-each-limit.ts";
export { createLimit, type Limit } from "./tasks/limit.ts";
export {
  createWorkerTasks,
  isTaskThread,
  type RunTask,
  serveTasks,
  type TaskBudget,
  type TaskFailure,
  type WorkerTasks,
} from "./tasks/worker-tasks.ts";
