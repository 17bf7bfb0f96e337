// Refuses real time, real randomness and sockets while a simulation runs: a run must be a function of its scenario.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timers from "node:timers";

/** A function of the runtime that a simulated process must not call. */
interface Forbidden {
  readonly name: string;
  readonly owner: object;
  readonly key: string;
}

const forbidden: readonly Forbidden[] = [
  ...["setTimeout", "setInterval"].flatMap((key) => [
    { name: key, owner: globalThis, key },
    { name: `timers.${key}`, owner: timers, key },
    { name: `timers.promises.${key}`, owner: timers.promises, key },
  ]),
  { name: "AbortSignal.timeout", owner: AbortSignal, key: "timeout" },
  { name: "Math.random", owner: Math, key: "random" },
  { name: "performance.now", owner: performance, key: "now" },
  { name: "process.hrtime.bigint", owner: process.hrtime, key: "bigint" },
  { name: "process.hrtime", owner: process, key: "hrtime" },
  ...["randomUUID", "randomBytes", "randomInt", "randomFillSync"].map((key) => ({
    name: `crypto.${key}`,
    owner: crypto,
    key,
  })),
  ...["randomUUID", "getRandomValues"].map((key) => ({
    name: `crypto.${key}`,
    owner: Object.getPrototypeOf(globalThis.crypto) as object,
    key,
  })),
  { name: "a listening socket", owner: net.Server.prototype, key: "listen" },
  { name: "a socket", owner: net.Socket.prototype, key: "connect" },
];

/**
 * Replaces the functions of the runtime by ones that report their use, until the result is called. Only what is called by code of
 * the packages counts: a test runner has timers of its own.
 */
export function guardRuntime(onLeak: (what: string) => void): () => void {
  const undo = [...forbidden.map((one) => replace(one, onLeak)), replaceDate(onLeak)];
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo.reverse()) restore();
    syncBuiltinESMExports();
  };
}

function replace({ name, owner, key }: Forbidden, onLeak: (what: string) => void): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, key);
  const real = Reflect.get(owner, key) as ((...args: unknown[]) => unknown) & object;
  function reported(this: unknown, ...args: unknown[]): unknown {
    report(name, onLeak);
    return Reflect.apply(real, this, args);
  }
  // Such as process.hrtime.bigint, and what promisify finds.
  Object.defineProperties(reported, Object.getOwnPropertyDescriptors(real));
  Object.defineProperty(owner, key, { value: reported, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, own);
  };
}

/** The current time only: dates of given moments are as ever. */
function replaceDate(onLeak: (what: string) => void): () => void {
  const RealDate = Date;
  const Reported: DateConstructor = new Proxy(RealDate, {
    construct(target, args, newTarget): Date {
      if (args.length === 0) report("new Date()", onLeak);
      return Reflect.construct(target, args, newTarget === Reported ? target : newTarget) as Date;
    },
    get(target, key, receiver) {
      if (key !== "now") return Reflect.get(target, key, receiver) as unknown;
      return () => {
        report("Date.now", onLeak);
        return RealDate.now();
      };
    },
  });
  globalThis.Date = Reported;
  return () => {
    globalThis.Date = RealDate;
  };
}

function report(what: string, onLeak: (what: string) => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  const frames = (new Error(what).stack ?? "").split("\n").slice(3);
  Error.stackTraceLimit = stackTraceLimit;
  const culprit = frames.find(
    (frame) =>
      /\/packages\/[^/]+\/(src|test)\//.test(frame) &&
      !/\bat async |node_modules|storm\/src\/guard/.test(frame),
  );
  if (culprit !== undefined) onLeak(`${what} is called ${culprit.trim()}`);
}
