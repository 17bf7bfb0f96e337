// Logs warnings about rules, each once for a week.
import { type CacheMeter, createBoundedCache, type Logger } from "@plimsoll/component-base";

/** Warnings about rules, each logged once. */
export type RuleWarnings = ReturnType<typeof createWarnings>;

interface WarningsOptions {
  readonly log: Logger;
  readonly meter?: CacheMeter | undefined;
}

/** Warnings name series, and of those there may be others at each relist: the cache bounds them. */
export function createWarnings({ log, meter }: WarningsOptions) {
  const logged = createBoundedCache<true>({
    name: "rule_warnings",
    meter,
    maxBytes: 4 * 1024 * 1024,
    maxKeyLength: 4_096,
    ttlMs: 7 * 24 * 3_600_000,
  });
  return {
    log(rule: string, warning: string): void {
      const key = `${rule}: ${warning}`;
      if (logged.get(key) === true) return;
      logged.set(key, true);
      log.warn({ rule, warning }, "a rule needs attention");
    },
  };
}
