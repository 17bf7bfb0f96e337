// The program "autoscaler" in a simulated process: what main.ts does, without a machine.
import { createAutoscaler } from "@plimsoll/autoscaler";
import { type Clock, createEntryMeter, type Logger } from "@plimsoll/component-base";
import { decide } from "@plimsoll/core";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { World } from "../run/world.ts";
import { autoscalerConfig } from "./flags.ts";

/** The identity that a run of a process takes leases with. */
export function identityOf(process: string, run: number): string {
  return `${process}_${String(run)}`;
}

/** Starts a real autoscaler from its real flags. */
export function startAutoscaler(world: World, process: SimulatedProcess): { stop(): Promise<void> } {
  const { name, run } = process;
  const { record } = world;
  const random = world.random.stream(`autoscaler/${name}/${String(run)}`);
  const client = world.network.clientOf(process, world.cluster.server);
  // What is read of decisions that are kept is decided once more, which is no decision.
  let isReading = false;
  const meter = createEntryMeter();
  const config = autoscalerConfig({ ...world.scenario.setup, ...world.coordinations.get(name) });
  const autoscaler = createAutoscaler(config, {
    client,
    clock: clockOf(process),
    log: logOf(world, process),
    identity: identityOf(name, run),
    meter,
    random: () => random.next(),
    newId: () => newId(random),
    listen: ({ address, port }) => ({
      listen: () => Promise.resolve({ address, port }),
      close: () => Promise.resolve(),
    }),
    decide(input, memory) {
      const result = decide(input, memory);
      if (!isReading) record({ kind: "decided", process: name, input, memory, result });
      return result;
    },
  });
  const reading =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      isReading = true;
      try {
        return call(...args);
      } finally {
        isReading = false;
      }
    };
  const { of, latest, records } = autoscaler.decisions;
  const decisions = { of: reading(of), latest: reading(latest), records: reading(records) };
  world.autoscalers.set(name, { ...autoscaler, decisions });
  world.configs.set(name, config);
  world.meters.set(name, meter);
  process.onKill(() => {
    world.autoscalers.delete(name);
    world.configs.delete(name);
    world.meters.delete(name);
  });
  autoscaler.start().catch((error: unknown) => {
    record({ kind: "error", process: name, message: `could not start: ${String(error)}`, isUnhandled: true });
  });
  return {
    async stop() {
      await autoscaler.stop();
      await client.close();
    },
  };
}

/** The process's clocks; on a machine of its own every timer is one of the machine. */
function clockOf({ clock }: SimulatedProcess): Clock {
  return { ...clock, afterIdle: (delayMs, run) => void clock.after(delayMs, run) };
}

function logOf({ record }: World, { name }: SimulatedProcess): Logger {
  const log = (fields: object, message: string): void =>
    record({ kind: "logged", process: name, message, fields: { ...fields } });
  return {
    debug: () => {},
    info: log,
    warn: log,
    error(fields, message) {
      const { err, ...rest } = fields as { readonly err?: unknown };
      const cause = err instanceof Error ? (err.stack ?? err.message) : JSON.stringify(err ?? "");
      record({
        kind: "error",
        process: name,
        message: `${message} ${JSON.stringify(rest)} ${cause}`.trim(),
        isUnhandled: false,
      });
    },
  };
}

function newId(random: Random): string {
  const hex = (digits: number) =>
    Math.floor(random.next() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(8)}${hex(4)}`;
}
