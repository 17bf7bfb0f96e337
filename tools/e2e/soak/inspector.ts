// A process seen from inside, over Node's inspector on loopback: nothing in the product serves the soak.
import { readdirSync } from "node:fs";
import type { Child } from "@plimsoll/testbed";

export interface Inside {
  readonly heapMiB: number;
  readonly rssMiB: number;
  /** File descriptors. */
  readonly handles: number;
  readonly timers: number;
}

/** A Map or a Set of at least sixteen entries. */
export interface Collection {
  /** The same one has the same number at every look. */
  readonly id: number;
  readonly size: number;
  /** The last keys, to recognize it by. */
  readonly sample: string;
}

export interface Inspector {
  /** Collects garbage, then measures. */
  look(): Promise<Inside>;
  /** The Maps and Sets of the process, which stands still meanwhile: some tenths of a second. */
  collections(): Promise<readonly Collection[]>;
  /** For a search of what grows. */
  writeHeapSnapshot(file: string): Promise<void>;
  /** Moves the wall clock that the process reads: Clock.nowMs is Date.now. */
  setClockOffset(offsetMs: number): Promise<void>;
  close(): void;
}

interface Reply {
  readonly id?: number;
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly objects?: { readonly objectId: string };
    readonly usedSize?: number;
  };
  readonly error?: { readonly message: string };
}

const mib = 2 ** 20;

/** The process was started with --inspect=127.0.0.1:0. @throws when it does not say where it listens. */
export async function openInspector(child: Child): Promise<Inspector> {
  const url = child.lines.map((line) => /Debugger listening on (ws:\S+)/.exec(line)?.[1]).find((one) => one);
  if (url === undefined) throw new Error(`${child.name} has no inspector`);
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)), { once: true });
  });
  const waiting = new Map<number, PromiseWithResolvers<NonNullable<Reply["result"]>>>();
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    const request = waiting.get(reply.id ?? 0);
    waiting.delete(reply.id ?? 0);
    if (reply.error === undefined) request?.resolve(reply.result ?? {});
    else request?.reject(new Error(reply.error.message));
  });
  socket.addEventListener("close", () => {
    for (const request of waiting.values()) request.reject(new Error(`${child.name} ended`));
    waiting.clear();
  });
  let last = 0;
  const call = (method: string, params: object = {}) => {
    const request = Promise.withResolvers<NonNullable<Reply["result"]>>();
    if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error(`${child.name} ended`));
    last += 1;
    waiting.set(last, request);
    socket.send(JSON.stringify({ id: last, method, params }));
    return request.promise;
  };
  return createInspector(call, child.pid, () => socket.close());
}

type Call = (method: string, params?: object) => Promise<NonNullable<Reply["result"]>>;

function createInspector(call: Call, pid: number, close: () => void): Inspector {
  const evaluate = async (expression: string): Promise<unknown> =>
    (await call("Runtime.evaluate", { expression, returnByValue: true })).result?.value;
  return {
    async look() {
      await call("HeapProfiler.collectGarbage");
      const { usedSize = 0 } = await call("Runtime.getHeapUsage");
      const { rss, timers } = (await evaluate(processFigures)) as { rss: number; timers: number };
      const handles = readdirSync(`/proc/${pid}/fd`).length;
      return { heapMiB: usedSize / mib, rssMiB: rss / mib, handles, timers };
    },
    collections: () => readCollections(call),
    async writeHeapSnapshot(file) {
      await evaluate(`process.getBuiltinModule("node:v8").writeHeapSnapshot(${JSON.stringify(file)})`);
    },
    async setClockOffset(offsetMs) {
      await evaluate(`(() => {
        const real = (globalThis.__soakRealNow ??= Date.now);
        Date.now = () => real() + ${offsetMs};
      })()`);
    },
    close,
  };
}

const processFigures = `({
  rss: process.memoryUsage().rss,
  timers: process.getActiveResourcesInfo().filter((one) => one === "Timeout").length,
})`;

/** Sizes of all Maps and Sets; a number sticks to each, so that growth of one shows among the others. */
async function readCollections(call: Call): Promise<readonly Collection[]> {
  const objectGroup = "soak";
  const found: Collection[] = [];
  for (const type of ["Map", "Set"]) {
    const prototype = await call("Runtime.evaluate", { expression: `${type}.prototype`, objectGroup });
    const { objectId } = (prototype.result ?? {}) as { readonly objectId?: string };
    const { objects } = await call("Runtime.queryObjects", { prototypeObjectId: objectId, objectGroup });
    const sizes = await call("Runtime.callFunctionOn", {
      objectId: objects?.objectId,
      functionDeclaration: measureAll,
      returnByValue: true,
    });
    found.push(...((sizes.result?.value ?? []) as readonly Collection[]));
  }
  await call("Runtime.releaseObjectGroup", { objectGroup });
  return found;
}

/** Runs in the process: small ones are left out, their numbers would be many. */
const measureAll = `function () {
  const known = (globalThis.__soakNumbers ??= { ids: new WeakMap(), last: 0 });
  const rows = [];
  for (const one of this) {
    let size = 0;
    // A prototype of a subclass is among them and has no size.
    try { size = one.size; } catch {}
    if (!(size >= 16)) continue;
    let id = known.ids.get(one);
    if (id === undefined) known.ids.set(one, (id = ++known.last));
    let newest;
    for (newest of one.keys());
    let sample = typeof newest;
    try {
      sample = typeof newest === "object" ? (newest?.constructor?.name ?? "null") : String(newest).slice(0, 60);
    } catch {}
    rows.push({ id, size, sample });
  }
  return rows;
}`;
