/**
 * Loaded before a program: its wall clock is ahead by what was last written into the file that CLOCK_AHEAD names.
 * Timers and the steady clock go on undisturbed, as when an administrator or NTP sets a clock.
 */
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_AHEAD"] ?? "";
const RealDate = globalThis.Date;

function aheadMs(): number {
  return Number(readFileSync(file, "utf8"));
}

globalThis.Date = class extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(RealDate.now() + aheadMs());
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs();
  }
} as DateConstructor;
