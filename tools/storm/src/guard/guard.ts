// Refuses real time, real randomness, sockets and work off the thread while a simulation runs: a run must be a function of its
// scenario.
import childProcess from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timers from "node:timers";
import workerThreads from "node:worker_threads";
import zlib from "node:zlib";

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
  ...of("process", process, ["hrtime", "uptime", "memoryUsage", "cpuUsage"]),
  ...of("crypto", crypto, ["randomUUID", "randomBytes", "randomInt", "randomFillSync", "randomFill"]),
  ...of("crypto", Object.getPrototypeOf(globalThis.crypto) as object, ["randomUUID", "getRandomValues"]),
  // What is done off the thread ends at some real time, and what is collected is gone at some real time.
  ...of("fs.promises", fs.promises, ["readFile", "writeFile", "open", "stat", "readdir"]),
  ...of("fs", fs, ["readFile", "writeFile", "open", "stat", "readdir", "watch", "watchFile"]),
  ...of("zlib", zlib, ["gzip", "gunzip", "deflate", "inflate"]),
  ...of("crypto.subtle", Object.getPrototypeOf(globalThis.crypto.subtle) as object, [
    "digest",
    "generateKey",
  ]),
  ...of("child_process", childProcess, ["spawn", "exec", "execFile", "fork"]),
  { name: "a worker", owner: workerThreads, key: "Worker" },
  { name: "WeakRef.deref", owner: WeakRef.prototype, key: "deref" },
  { name: "a listening socket", owner: net.Server.prototype, key: "listen" },
  { name: "a socket", owner: net.Socket.prototype, key: "connect" },
];

function of(name: string, owner: object, keys: readonly string[]): readonly Forbidden[] {
  return keys.map((key) => ({ name: `${name}.${key}`, owner, key }));
}

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
    return new.target === undefined ? Reflect.apply(real, this, args) : Reflect.construct(real, args);
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
    apply(target): string {
      report("Date()", onLeak);
      return Reflect.apply(target, undefined, []);
    },
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
      /\/(packages|tools)\/[^/]+\/(src|test)\//.test(frame) &&
      !/\bat async |node_modules|storm\/src\/guard/.test(frame),
  );
  if (culprit !== undefined) onLeak(`${what} is called ${culprit.trim()}`);
}
