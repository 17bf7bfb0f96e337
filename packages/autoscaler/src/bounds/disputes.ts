import type { BoundsField } from "./held.ts";

/** Somebody else wants an HPA's bounds to be what they are. */
export interface Dispute {
  readonly managers: readonly string[];
  readonly fields: readonly BoundsField[];
  /** "claimed": they keep applying it. "undone": they wrote it back. */
  readonly kind: "claimed" | "undone";
  /** Nothing is tried before. */
  readonly untilMs: number;
}

/** Remembers who was given way to, and for how long: longer each time that it happens again. */
export interface Disputes {
  /** Undefined when there is none, or it is time to try again. */
  open(key: string, o: { readonly nowMs: number; readonly about: string }): Dispute | undefined;
  add(key: string, o: Omit<Dispute, "untilMs"> & { readonly nowMs: number; readonly about: string }): Dispute;
  /** Whether it is time to try again what was given up. */
  isDue(key: string, o: { readonly nowMs: number; readonly about: string }): boolean;
  /** It was tried, and carried out. */
  tried(key: string): void;
  /** Notes an edit; true when there was another shortly before. */
  edited(key: string, nowMs: number): boolean;
  drop(key: string): void;
}

const quietMs = 600_000;

interface Known extends Dispute {
  readonly waitMs: number;
  readonly about: string;
  readonly isTried: boolean;
}

/** `about` is what the dispute is about: when that is edited, it is tried at once. */
export function createDisputes(o: { readonly firstMs: number; readonly longestMs: number }): Disputes {
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
      const waitMs = isAgain ? Math.min(last.waitMs * 2, o.longestMs) : o.firstMs;
      const dispute = { ...rest, about, waitMs, untilMs: nowMs + waitMs, isTried: false };
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
  };
}
