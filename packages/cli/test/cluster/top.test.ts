// The screen of `top`: keys, and the terminal as it was before.
import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { expect, test } from "vitest";
import { keysOf } from "../../src/commands/top/keys.ts";
import { firstState, press, type TopState } from "../../src/commands/top/state.ts";
import { fakeCluster, run } from "./fake-cluster.ts";
import { putWorkload } from "./workload.ts";

function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 8, usage: "300m" });
  putWorkload(fake, { name: "api", replicas: 3, usage: "170m" });
  return fake;
}

const terminal = { isTty: true, columns: 100, rows: 20, isUtf8: true };

/** Runs it, and types each key once the screen shows what it waits for. */
async function typed(
  fake: ReturnType<typeof cluster>,
  steps: readonly (readonly [shows: string, key: string])[],
) {
  let out = "";
  let screen = "";
  let look = (): void => undefined;
  async function* keys() {
    for (const [shows, key] of steps) {
      while (!screen.includes(shows))
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      yield key;
    }
  }
  const ran = await run(fake, ["top", "--via=none", "--interval=2s"], {
    terminal,
    keys,
    writeOut(part) {
      out += part;
      screen = part;
      look();
    },
  });
  return { ...ran, out };
}

test("rows, an order, a filter, an explanation and the end", async () => {
  const { code, out } = await typed(cluster(), [
    ["2 objects", "s"],
    ["every 2s  sort held", "/"],
    ["filter /", "s"],
    ["filter /s", "h"],
    ["filter /sh", "return"],
    ["> shop", "return"],
    ["Deployment/shop", "q"],
    ["> shop", "q"],
  ]);
  expect(code).toBe(0);
  expect(out.startsWith("\u001b[?1049h\u001b[?25l")).toBe(true);
  expect(out.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  expect(out).toContain("recomputed now");
});

test("the terminal is as before after an interrupt", async () => {
  const { code, out } = await typed(cluster(), [["2 objects", "ctrl+c"]]);
  expect(code).toBe(130);
  expect(out.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
});

/** No key is typed. */
function noKeys(signal: AbortSignal): AsyncIterable<string> {
  const end = new Promise<IteratorReturnResult<undefined>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
  });
  return { [Symbol.asyncIterator]: () => ({ next: () => end }) };
}

test("the terminal is as before after a signal", async () => {
  const ended = new AbortController();
  let out = "";
  const ran = await run(cluster(), ["top", "--via=none"], {
    terminal,
    keys: noKeys,
    signal: ended.signal,
    writeOut(part) {
      out += part;
      if (part.includes("2 objects")) ended.abort(new Error("interrupted"));
    },
  });
  expect(ran.code).toBe(130);
  expect(out.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
});

test("an error stands on the screen, and does not end it", async () => {
  const fake = cluster();
  fake.deny(/horizontalpodautoscalers$/);
  const { code, out } = await typed(fake, [["error: ", "q"]]);
  expect(code).toBe(0);
  expect(out).toContain("is forbidden");
});

test("off a terminal it is printed once", async () => {
  const { code, out } = await run(cluster(), ["top", "--via=none"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^NAME .*\napi .*\nshop .*\n2 objects: /);
  expect(out).not.toContain("\u001b");
});

const state = (more: Partial<TopState>): TopState => ({ ...firstState("name"), ...more });

test.each<[Partial<TopState>, string, Partial<TopState>]>([
  [{ selected: 0 }, "up", { selected: 0 }],
  [{ selected: 0 }, "down", { selected: 1 }],
  [{ selected: 2 }, "j", { selected: 2 }],
  [{ selected: 2 }, "home", { selected: 0 }],
  [{ selected: 0 }, "end", { selected: 2 }],
  [{ filter: "x" }, "escape", { filter: "" }],
  [{ sort: "since" }, "s", { sort: "name" }],
  [{ mode: "filter", filter: "é" }, "backspace", { filter: "" }],
  [{ mode: "filter", filter: "x" }, "escape", { filter: "", mode: "list" }],
  [{ mode: "filter", filter: "" }, "q", { filter: "q", mode: "filter" }],
  [{ mode: "explain" }, "down", { scroll: 1 }],
  [{ mode: "explain" }, "escape", { mode: "list" }],
])("%j and %s", (before, key, after) => {
  expect(press(state(before), key, 3).state).toMatchObject(after);
});

test("keys of a terminal by their names, until the signal, and the terminal is given back", async () => {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  }) as unknown as ReadStream;
  const ended = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const key of keysOf(stdin, ended.signal)) {
      seen.push(key);
      if (key === "q") ended.abort();
    }
  })();
  (stdin as unknown as PassThrough).write("\u001b[A\u001b[Bs/\r\u0003\u001b[5~é\u007fq");
  await reading;
  expect(seen).toEqual(["up", "down", "s", "/", "return", "ctrl+c", "pageup", "é", "backspace", "q"]);
  expect(modes).toEqual([true, false]);
});
