// The invariants that hold in every run.
import type { CreateInvariant } from "../run/world.ts";
import { ambiguousNotScaled } from "./ambiguous-not-scaled.ts";
import { cronNotTooLate, cronOnce } from "./cron-runs.ts";
import { editsAreHeeded } from "./edits-are-heeded.ts";
import { heldIsItsOwn } from "./held-is-its-own.ts";
import { keptWindow } from "./kept-window.ts";
import { noBlindWrite } from "./no-blind-write.ts";
import { noMemoryOfFormer } from "./no-memory-of-former.ts";
import { oneOwner } from "./one-owner.ts";
import { oneReport } from "./one-report.ts";
import { oneWriter } from "./one-writer.ts";
import { restoredBounds } from "./restored-bounds.ts";
import { servedCalmly } from "./served-calmly.ts";
import { servedObjects } from "./served-objects.ts";
import { servedValues } from "./served-values.ts";
import { staleSpecification } from "./stale-specification.ts";
import { yieldsToForeignOnly } from "./yields-to-foreign-only.ts";
import { zeroIsLeft } from "./zero-is-left.ts";

export const invariants: readonly CreateInvariant[] = [
  ambiguousNotScaled,
  cronNotTooLate,
  cronOnce,
  editsAreHeeded,
  heldIsItsOwn,
  keptWindow,
  noBlindWrite,
  noMemoryOfFormer,
  oneOwner,
  oneReport,
  oneWriter,
  restoredBounds,
  servedCalmly,
  servedObjects,
  servedValues,
  staleSpecification,
  yieldsToForeignOnly,
  zeroIsLeft,
];
