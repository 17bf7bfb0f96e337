// Backs off from HPAs whose bounds another client overwrites.
import { backoffMs, type KeyedEntries } from "@plimsoll/component-base";
import type { BoundsField } from "./saved-bounds.ts";

/** Another client writes bounds of an HPA that schedules move. */
export interface Dispute {
  readonly managers: readonly string[];
  readonly fields: readonly BoundsField[];
  /** "claimed": it applies them. "undone": it wrote the former ones. */
  readonly kind: "claimed" | "undone";
  /** Nothing is tried before. */
  readonly untilMs: number;
}

/** Disputes by HPA. While one is open the other writer keeps the bounds, longer each time that it recurs. */
export interface Disputes {
  /** Undefined when there is none, or its time is over. */
  open(key: string, at: { readonly nowMs: number; readonly about: string }): Dispute | undefined;
  add(
    key: string,
    dispute: Omit<Dispute, "untilMs"> & { readonly nowMs: number; readonly about: string },
  ): Dispute;
  /** Whether the next attempt is due. */
  isDue(key: string, at: { readonly nowMs: number; readonly about: string }): boolean;
  /** The attempt was made, and succeeded. */
  tried(key: string): void;
  /** Counts an edit; true when there was another within ten minutes. */
  edited(key: string, nowMs: number): boolean;
  drop(key: string): void;
  /** HPAs of which a dispute or an edit is known. */
  readonly entries: KeyedEntries;
}

const quietMs = 600_000;

interface Known extends Dispute {
  /** How many there were before it, each soon after the end of another. */
  readonly recurrences: number;
  readonly waitMs: number;
  readonly about: string;
  readonly isTried: boolean;
}

/** `about` is what the dispute is about: when that is edited, it is tried at once. */
export function createDisputes(waits: { readonly baseMs: number; readonly maxMs: number }): Disputes {
  const known = new Map<string, Known>();
  const editedAtMs = new Map<string, number>();
  return {
    open(key, { nowMs, about }) {
      const dispute = known.get(key);
      const isOpen = dispute !== undefined && dispute.about === about && nowMs < dispute.untilMs;
      // A clock that was set back does not make it wait for longer than it was to.
      return isOpen && dispute.untilMs - nowMs <= dispute.waitMs ? dispute : undefined;
    },
    add(key, { nowMs, about, ...rest }) {
      const last = known.get(key);
      const isAgain = last !== undefined && last.about === about && nowMs - last.untilMs < last.waitMs;
      const recurrences = isAgain ? last.recurrences + 1 : 0;
      const waitMs = backoffMs(recurrences, waits);
      const dispute = { ...rest, about, recurrences, waitMs, untilMs: nowMs + waitMs, isTried: false };
      known.set(key, dispute);
      return dispute;
    },
    isDue(key, { nowMs, about }) {
      const dispute = known.get(key);
      if (dispute === undefined || dispute.isTried) return false;
      return dispute.about !== about || nowMs >= dispute.untilMs;
    },
    tried(key) {
      const dispute = known.get(key);
      if (dispute !== undefined) known.set(key, { ...dispute, isTried: true });
    },
    edited(key, nowMs) {
      const lastMs = editedAtMs.get(key);
      editedAtMs.set(key, nowMs);
      return lastMs !== undefined && nowMs - lastMs < quietMs;
    },
    drop(key) {
      known.delete(key);
      editedAtMs.delete(key);
    },
    entries: {
      get size() {
        return known.size + editedAtMs.size;
      },
      *keys() {
        yield* known.keys();
        yield* editedAtMs.keys();
      },
    },
  };
}
