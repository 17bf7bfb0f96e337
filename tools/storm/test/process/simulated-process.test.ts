import { expect, test } from "vitest";
import { createProcess } from "../../src/process/simulated-process.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

function started() {
  const time = createVirtualTime(1_000_000);
  const machine = { aheadMs: 0 };
  const crashes: unknown[] = [];
  const changes: string[] = [];
  const process = createProcess({
    name: "autoscaler-0",
    run: 1,
    time,
    machine,
    onChange: (change) => changes.push(change),
    onCrash: (error) => crashes.push(error),
  });
  const ran: string[] = [];
  const note = (name: string) => () => {
    ran.push(name);
  };
  return { time, machine, process, crashes, changes, ran, note };
}

test("a paused process gets nothing; when it is woken its own code goes on first, then the rest as it came", async () => {
  const { time, process, ran, note } = started();
  process.clock.after(1, note("timer"));
  process.pause();
  process.deliver(note("delivery"));
  process.proceed("before-send", note("own"));
  await time.runUntil(time.nowMs + 10);
  expect(ran).toEqual([]);
  process.wake();
  await time.runUntil(time.nowMs);
  expect(ran).toEqual(["own", "delivery", "timer"]);
});

test("timers can run first, and one that is canceled meanwhile does not run", async () => {
  const { time, process, ran, note } = started();
  process.pause();
  process.deliver(note("delivery"));
  process.clock.after(1, note("timer"));
  const cancel = process.clock.after(1, note("canceled"));
  await time.runUntil(time.nowMs + 10);
  process.wake("timers-first");
  cancel();
  await time.runUntil(time.nowMs);
  expect(ran).toEqual(["timer", "delivery"]);
});

test("a process that is paused again while it catches up keeps the rest", async () => {
  const { time, process, ran, note } = started();
  process.pause();
  process.deliver(note("first"));
  process.deliver(note("second"));
  process.wake();
  process.strikeAt("delivery", () => {});
  time.after(0, () => process.pause());
  await time.runUntil(time.nowMs);
  // The pause came after both were due.
  expect(ran).toEqual(["first", "second"]);
  process.deliver(note("third"));
  process.deliver(note("fourth"));
  process.wake();
  process.strikeAt("delivery", () => process.pause());
  await time.runUntil(time.nowMs);
  expect(ran).toEqual(["first", "second"]);
  process.wake();
  await time.runUntil(time.nowMs);
  expect(ran).toEqual(["first", "second", "third", "fourth"]);
});

test("nothing of a killed process runs again", async () => {
  const { time, process, ran, note, changes } = started();
  process.onKill(note("killed"));
  process.clock.after(1, note("timer"));
  process.pause();
  process.deliver(note("delivery"));
  process.kill();
  process.wake();
  process.deliver(note("delivery"));
  await time.runUntil(time.nowMs + 10);
  expect(ran).toEqual(["killed"]);
  expect(changes).toEqual(["paused", "killed"]);
});

test("strikes once, at its point only, unless it is canceled", () => {
  const { process, ran, note } = started();
  process.strikeAt("before-send", note("strike"));
  process.strikeAt("before-send", note("canceled"))();
  process.deliver(note("delivery"));
  process.proceed("before-send", note("own"));
  process.proceed("before-send", note("own"));
  expect(ran).toEqual(["delivery", "strike", "own", "own"]);
});

test("the wall clock of the machine is set, the steady clock is not, and timers follow the steady clock", async () => {
  const { time, process, machine, ran, note } = started();
  process.clock.after(0, note("at once"));
  process.clock.after(10, note("timer"));
  process.stepClock(-3_600_000);
  await time.runUntil(time.nowMs + 9);
  expect(ran).toEqual(["at once"]);
  await time.runUntil(time.nowMs + 1);
  expect(ran).toEqual(["at once", "timer"]);
  expect(process.clock.nowMs()).toBe(1_000_010 - 3_600_000);
  expect(process.clock.steadyMs?.()).toBe(10);
  expect(machine.aheadMs).toBe(-3_600_000);
});

test("what its code throws is a crash", () => {
  const { process, crashes } = started();
  process.deliver(() => {
    throw new Error("broken");
  });
  expect(crashes).toEqual([new Error("broken")]);
});
