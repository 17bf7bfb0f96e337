// `status --watch`: on a terminal each list takes the place of the one before, and elsewhere it follows.
import { expect, test } from "vitest";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { putWorkload } from "./workload.ts";

const terminal = { isTty: true, columns: 80, rows: 8, isUtf8: true };
const [enter, leave] = ["\u001b[?1049h\u001b[?25l", "\u001b[?25h\u001b[?1049l"];

/** Ends after this number of lists; `change` is called after each. */
async function watched(
  fake: ReturnType<typeof fakeCluster>,
  { lists, args = [], change = () => undefined, isTty = true }: Watched,
) {
  const ended = new AbortController();
  let now = nowMs;
  let count = 0;
  const clock = {
    nowMs: () => now,
    after: (delayMs: number, done: () => void) => {
      if (delayMs !== 5_000) return () => undefined;
      now += delayMs;
      count += 1;
      change();
      if (count === lists) ended.abort(new Error("interrupted"));
      queueMicrotask(done);
      return () => undefined;
    },
  };
  const { signal } = ended;
  const connection = fake.connection({ nowMs: () => nowMs, after: () => () => undefined });
  const connect = () => Promise.resolve(connection);
  const seams = { clock, nowMs: () => now, connect, signal, terminal: { ...terminal, isTty } };
  const ran = await run(fake, ["status", "--watch", "--via=none", "--color=never", ...args], seams);
  return { ...ran, screens: ran.out.split("\u001b[H").slice(1) };
}

interface Watched {
  readonly lists: number;
  readonly args?: readonly string[];
  readonly change?: () => void;
  readonly isTty?: boolean;
}

function cluster(count = 1) {
  const fake = fakeCluster();
  for (let n = 0; n < count; n += 1) putWorkload(fake, { name: `shop-${n}`, replicas: 3 });
  return fake;
}

test("each list takes the place of the one before, and the terminal is as before at the end", async () => {
  const { code, out, screens } = await watched(cluster(), { lists: 2 });
  expect(code).toBe(130);
  expect([out.startsWith(enter), out.endsWith(leave)]).toEqual([true, true]);
  expect(screens.map((screen) => screen.split("\n")[0])).toEqual([
    expect.stringContaining("namespace default  as of 10:00:02, every 5s, Ctrl-C ends"),
    expect.stringContaining("namespace default  as of 10:00:07, every 5s, Ctrl-C ends"),
  ]);
  expect(screens[1]).toMatch(/\nNAME .*\nshop-0 .*\n1 object: /);
});

// Each of these has a note below its row.
test("more rows than the terminal has lines are counted", async () => {
  const { screens } = await watched(cluster(9), { lists: 1 });
  const lines = (screens[0] ?? "").split("\n");
  expect(lines).toHaveLength(terminal.rows);
  expect(lines.at(-2)).toMatch(/^… 13 more lines; --problem shows fewer/);
  expect(lines.at(-1)).toMatch(/^9 objects: /);
});

test("a list that cannot be read leaves the last one, with the error below, until it can be read", async () => {
  const fake = cluster();
  let reads = 0;
  const change = () => fake.deny(++reads === 1 ? /horizontalpodautoscalers$/ : /^$/);
  const { screens } = await watched(fake, { lists: 3, change });
  expect(screens[1]).toMatch(/\nshop-0 [^]*error: \S+ is[^]*forbidden/);
  expect(screens[2]).toMatch(/\nshop-0 /);
  expect(screens[2]).not.toContain("error");
});

test("an error stays within the screen, and nothing of a cluster controls the terminal", async () => {
  const fake = cluster();
  putWorkload(fake, { name: "a\u001b[2Jb", replicas: 3 });
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const change = () => fake.reply(path, "\u001b[31mgone ".repeat(500), 500);
  const { screens } = await watched(fake, { lists: 2, change });
  expect(screens[0]).toContain("a\\x1b[2Jb");
  expect(screens[1]).toContain("\\x1b[31mgone");
  for (const screen of screens) {
    expect(screen.split("\n").length).toBeLessThanOrEqual(terminal.rows);
    const shown = screen.replaceAll("\u001b[K", "").replaceAll("\u001b[J", "").replaceAll(leave, "");
    expect(shown).not.toContain("\u001b");
  }
});

test("no objects are said to be none", async () => {
  expect((await watched(fakeCluster(), { lists: 1 })).screens[0]).toContain(
    "no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace default",
  );
});

test.each([
  [{ isTty: false }, []],
  [{ isTty: true }, ["-o", "json"]],
])("with %j and %j lists follow each other", async (more, args) => {
  const { out } = await watched(cluster(), { lists: 2, args, ...more });
  expect(out).not.toContain("\u001b");
  expect(out.match(/shop-0/g)?.length).toBeGreaterThan(1);
});
