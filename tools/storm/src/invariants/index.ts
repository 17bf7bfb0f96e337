// The invariants that hold in every run.
import type { CreateInvariant } from "../run/world.ts";
import { alwaysOwned } from "./always-owned.ts";
import { ambiguousNotScaled } from "./ambiguous-not-scaled.ts";
import { cronNotTooLate, cronOnce } from "./cron-runs.ts";
import { cronRunsDue } from "./cron-runs-due.ts";
import { disputedTarget } from "./disputed-target.ts";
import { editsAreHeeded } from "./edits-are-heeded.ts";
import { evaluated } from "./evaluated.ts";
import { formerWindow } from "./former-window.ts";
import { heldIsItsOwn } from "./held-is-its-own.ts";
import { keptPolicies } from "./kept-policies.ts";
import { keptWindow } from "./kept-window.ts";
import { leftAlone } from "./left-alone.ts";
import { liveGoesOn } from "./live-goes-on.ts";
import { noBlindScaleDown } from "./no-blind-scale-down.ts";
import { noBlindWrite } from "./no-blind-write.ts";
import { noErrors } from "./no-errors.ts";
import { noMemoryOfFormer } from "./no-memory-of-former.ts";
import { nothingRemains } from "./nothing-remains.ts";
import { onceAPeriod } from "./once-a-period.ts";
import { oneOwner } from "./one-owner.ts";
import { oneReport } from "./one-report.ts";
import { oneWriter } from "./one-writer.ts";
import { replayed } from "./replayed.ts";
import { replicasAreKept } from "./replicas-are-kept.ts";
import { restoredBounds } from "./restored-bounds.ts";
import { servedObjects } from "./served-objects.ts";
import { servedValues } from "./served-values.ts";
import { staleSpecification } from "./stale-specification.ts";
import { stopsInTime } from "./stops-in-time.ts";
import { takenOver } from "./taken-over.ts";
import { withinBounds } from "./within-bounds.ts";
import { writtenAsDecided } from "./written-as-decided.ts";
import { yieldsToForeignOnly } from "./yields-to-foreign-only.ts";
import { yieldsWhileWritten } from "./yields-while-written.ts";
import { zeroIsLeft } from "./zero-is-left.ts";

export const invariants: readonly CreateInvariant[] = [
  alwaysOwned,
  ambiguousNotScaled,
  cronNotTooLate,
  cronOnce,
  cronRunsDue,
  disputedTarget,
  editsAreHeeded,
  evaluated,
  formerWindow,
  heldIsItsOwn,
  keptPolicies,
  keptWindow,
  leftAlone,
  liveGoesOn,
  noBlindScaleDown,
  noBlindWrite,
  noErrors,
  noMemoryOfFormer,
  nothingRemains,
  onceAPeriod,
  oneOwner,
  oneReport,
  oneWriter,
  replayed,
  replicasAreKept,
  restoredBounds,
  servedObjects,
  servedValues,
  staleSpecification,
  stopsInTime,
  takenOver,
  withinBounds,
  writtenAsDecided,
  yieldsToForeignOnly,
  yieldsWhileWritten,
  zeroIsLeft,
];
