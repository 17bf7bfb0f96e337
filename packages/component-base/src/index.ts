// What every program and package below it share: the clock, backoff, the logger's type, bounded caches.
export { messageOf } from "@plimsoll/core/internal/values";
export { backoffMs, createCircuitState } from "./backoff/backoff.ts";
export * from "./cache/bounded-cache.ts";
export * from "./cache/cache-meter.ts";
export { cacheTiming } from "./cache/cache-timing.ts";
export * from "./cache/computed-cache.ts";
export { createFairCache, type FairCache, type FairCacheOptions } from "./cache/fair-cache.ts";
export { getOrAdd, lazily } from "./cache/get-or-add.ts";
export { createInterner, createObjectIds, type Interner } from "./cache/interner.ts";
export { type Clock, maxDelayMs, steadyNowMs, systemClock } from "./clock/clock.ts";
export { nextTurn, sleep, waitAtMost } from "./clock/sleep.ts";
export { DeadlineError, withDeadline } from "./clock/with-deadline.ts";
export { createLogLimiter } from "./logger/log-limiter.ts";
export type { Logger } from "./logger/logger.ts";
export { type Awaitable, allOf, chain } from "./tasks/awaitable.ts";
export { atMostEvery, createLimit, forEachLimit, type Limit } from "./tasks/limit.ts";
export { orAborted, race } from "./tasks/race.ts";
export {
  createWorkerTasks,
  isTaskThread,
  type RunTask,
  serveTasks,
  type TaskBudget,
  type TaskFailure,
  type WorkerTasks,
} from "./tasks/worker-tasks.ts";
