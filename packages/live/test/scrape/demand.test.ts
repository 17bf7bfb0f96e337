import { sleep } from "@plimsoll/component-base";
import { expect, test } from "vitest";
import type { LiveQuery } from "../../src/scrape/query.ts";
import { never, rate, rig, target, valueOf } from "./rig.ts";

test("the first request waits until the window is full, and the next ones for nothing", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  expect(metrics.known(asked)).toBeUndefined();
  const first = metrics.get(asked, never);
  await clock.advance(4000);
  expect(live.scrapes).toBe(10);
  expect(valueOf(await first)).toEqual([20]);
  const known = metrics.known(asked);
  expect([valueOf(known), known?.isNewest()]).toEqual([[20], true]);
  await clock.advance(1000);
  expect(known?.isNewest()).toBe(false);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("scraping ends a minute after the last request, and nothing is kept", async () => {
  const { clock, live, metrics, query } = rig();
  metrics.known(query(rate));
  await clock.advance(59_000);
  expect(live.open).toBe(1);
  await clock.advance(3_000);
  const { scrapes } = live;
  await clock.advance(60_000);
  expect([live.open, live.scrapes, clock.pendingTimers]).toEqual([0, scrapes, 0]);
});

test("a check scrapes until it has its answer, and prolongs nothing", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  const checked = metrics.get(asked, never, true);
  await clock.advance(4_000);
  expect(valueOf(await checked)).toEqual([20]);
  await clock.advance(1_000);
  expect([live.open, live.scrapes]).toEqual([0, 12]);
  metrics.known(asked);
  await clock.advance(58_000);
  expect(valueOf(await metrics.get(asked, never, true))).toEqual([20]);
  await clock.advance(4_000);
  expect(live.open).toBe(0);
});

test("a check waits until its window is full, however long that takes, but not for ever", async () => {
  const { clock, live, metrics, query } = rig();
  const checked = metrics.get(query("sum(rate(requests_total[5m]))"), never, true);
  await clock.advance(302_000);
  expect(valueOf(await checked)).toEqual([20]);
  expect(live.open).toBe(0);
  const find = async () => {
    // A window does not span rounds that are this slow.
    await sleep(clock, 4_000);
    return { ok: true as const, targets: live.pods.map(target), refused: [] };
  };
  const broken = metrics.get(query("sum(rate(requests_total[1m]))", { find }), never, true);
  await clock.advance(310_000);
  expect(valueOf(await broken)).toBe("the window of 60s is full in 59s");
});

test("a query that is asked for once a minute, its interval, is scraped on", async () => {
  const { clock, metrics, query } = rig();
  const asked = query("sum(rate(requests_total[4m]))", { intervalMs: 60_000 });
  for (let at = 0; at < 5; at += 1) {
    metrics.known(asked);
    await clock.advance(at % 2 === 0 ? 59_500 : 60_800);
  }
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("a query that is compiled anew keeps its window", async () => {
  const { clock, metrics, query } = rig();
  metrics.known(query(rate));
  await clock.advance(6_000);
  expect(valueOf(metrics.known(query(rate)))).toEqual([20]);
});

test("two requests wait for windows, and others fail at once: a controller has few workers", async () => {
  const { clock, metrics, query } = rig();
  const asked = Array.from({ length: 5 }, (_, at) => query(rate, { group: `group-${at}` }));
  const ask = () => asked.map((one) => metrics.get(one, never));
  const failure = "its window is not full yet";
  expect((await Promise.all(ask().slice(2))).map(valueOf)).toEqual([failure, failure, failure]);
  await clock.advance(5_000);
  expect((await Promise.all(ask())).map(valueOf)).toEqual(asked.map(() => [20]));
});

test("queries of the same pods share the scrapes, at the shorter interval", async () => {
  const { clock, live, metrics, query } = rig();
  metrics.known(query(rate, { intervalMs: 5000 }));
  metrics.known(query("requests_total", { intervalMs: 2000 }));
  await clock.advance(20_500);
  expect(live.scrapes).toBe(2 * 11);
});

test("more pods than the limit allows are scraped more rarely, not in one burst, and none is left out", async () => {
  const pods = Array.from({ length: 40 }, (_, at) => `pod-${at}`);
  const { clock, live, metrics, query } = rig({ pods, pace: { perNamespace: 10, all: 1000 } });
  const [asked, short] = [query("sum(rate(requests_total[10s]))"), query(rate)];
  metrics.known(asked);
  await clock.advance(1_000);
  expect(live.scrapes).toBe(21);
  await clock.advance(2_900);
  expect(live.scrapes).toBe(40);
  await clock.advance(4_000);
  expect(live.scrapes).toBe(80);
  await clock.advance(8_000);
  expect(valueOf(metrics.known(asked))).toEqual([400]);
  expect(metrics.slowed()).toBe(1);
  expect(valueOf(metrics.known(short))).toMatch(
    /^the pods are scraped every 4s .* range 5s needs two scrapes/,
  );
});

test("a window that takes long to fill is not waited for", async () => {
  const { clock, metrics, query } = rig();
  const asked = query("sum(rate(requests_total[1m]))");
  metrics.known(asked);
  await clock.advance(1_000);
  expect(valueOf(await metrics.get(asked, never))).toBe("the window of 60s is full in 58s");
  await clock.advance(59_000);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("a clock that is set changes the time of the values, and not the values", async () => {
  const { clock, metrics, query, setClock } = rig();
  const asked = query(rate);
  metrics.known(asked);
  await clock.advance(5_000);
  setClock(-3_600_000);
  await clock.advance(2_000);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
  expect(metrics.known(asked)).toHaveProperty("result.samples.0.atMs", 1_007_000 - 3_600_000);
});

test("an error that is no failure of a scrape costs the pod its sample, and no more", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  metrics.known(asked);
  live.broken.set("b", new TypeError("bad path"));
  await clock.advance(5_000);
  expect(valueOf(metrics.known(asked))).toEqual([10]);
});

test("one page that is missing changes nothing; after two the pod has no value until its window is full again", async () => {
  const { clock, live, metrics, query } = rig();
  const [asked, perPod] = [query(rate), query("sum by (pod) (rate(requests_total[5s]))")];
  metrics.known(asked);
  metrics.known(perPod);
  await clock.advance(6_000);
  live.broken.set("b", "refuses the connection");
  await clock.advance(1_000);
  expect(metrics.known(asked)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(perPod))).toEqual([10, 10]);
  await clock.advance(1_000);
  expect(metrics.known(asked)).toHaveProperty(
    "result.missing",
    "the pod b has not been read for 2 s: it refuses the connection",
  );
  expect(valueOf(metrics.known(perPod))).toEqual([10]);
  live.broken.delete("b");
  await clock.advance(3_000);
  expect(metrics.known(asked)).toHaveProperty("result.missing", "the pod b was not read until 2 s ago");
  expect(valueOf(metrics.known(perPod))).toEqual([10]);
  await clock.advance(3_000);
  expect(metrics.known(asked)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(perPod))).toEqual([10, 10]);
});

test("rounds that fail begin the windows anew", async () => {
  const { clock, live, metrics, query } = rig();
  const found = { fails: false };
  const asked: LiveQuery = query(rate, {
    find: () =>
      Promise.resolve(
        found.fails
          ? { ok: false as const, message: "cannot list pods" }
          : { ok: true as const, targets: live.pods.map(target), refused: [] },
      ),
  });
  metrics.known(asked);
  await clock.advance(6_000);
  found.fails = true;
  await clock.advance(10_000);
  expect(valueOf(metrics.known(asked))).toBe("cannot list pods");
  found.fails = false;
  for (let at = 0; at < 6; at += 1) {
    await clock.advance(1_000);
    expect([undefined, "20"]).toContain(valueOf(metrics.known(asked))?.toString());
  }
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("a result has an age: when finding the pods hangs, it is not handed out for ever", async () => {
  const { clock, live, metrics, query } = rig();
  const found = { hangs: false };
  const asked = query(rate, {
    find: () =>
      found.hangs
        ? new Promise<never>(() => {})
        : Promise.resolve({ ok: true as const, targets: live.pods.map(target), refused: [] }),
  });
  metrics.known(asked);
  await clock.advance(6_000);
  const last = metrics.known(asked);
  found.hangs = true;
  await clock.advance(4_500);
  expect(last?.isNewest()).toBe(true);
  await clock.advance(1_000);
  expect(last?.isNewest()).toBe(false);
  expect(valueOf(metrics.known(asked))).toMatch(
    /^(?:cannot find the pods|the pods have not been scraped for)/,
  );
});

test("a ready pod that never gave a page is missing, and one that starts holds up nobody", async () => {
  const { clock, live, metrics, query } = rig();
  live.broken.set("b", "refuses the connection");
  const unready = query(rate, {
    group: "starting",
    find: () =>
      Promise.resolve({
        ok: true as const,
        targets: live.pods.map((pod) => ({ ...target(pod), isReady: pod !== "b" })),
        refused: [],
      }),
  });
  metrics.known(unready);
  const asked = query(rate);
  metrics.known(asked);
  await clock.advance(5_000);
  expect(metrics.known(asked)).toHaveProperty(
    "result.missing",
    "the pod b has not been read yet: it refuses the connection",
  );
  expect(metrics.known(unready)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(unready))).toEqual([10]);
  live.broken.set("a", "answers with status 500");
  live.pods = ["a"];
  await clock.advance(1_000);
  expect(valueOf(metrics.known(asked))).toBe("no pod of 1 could be scraped: a answers with status 500");
});

test("pods that cannot be found are said", async () => {
  const { clock, metrics, query } = rig();
  const find = () => Promise.resolve({ ok: false as const, message: "cannot list pods" });
  const asked = query(rate, { find });
  metrics.known(asked);
  await clock.advance(1_000);
  expect(valueOf(metrics.known(asked))).toBe("cannot list pods");
});

test("requests that wait end with their signal, and with the process", async () => {
  const { clock, metrics, query } = rig();
  const asked = query(rate);
  const late = new AbortController();
  const [ended, stopped] = [metrics.get(asked, late.signal), metrics.get(asked, never)];
  late.abort(new Error("too late"));
  await expect(ended).rejects.toThrow("too late");
  await metrics.stop();
  expect(valueOf(await stopped)).toBe("the adapter is stopping");
  await clock.advance(5_000);
  expect(clock.pendingTimers).toBe(0);
});

test("rounds move until they end just before the requests, which then have the newest pages", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  metrics.known(asked);
  await clock.advance(400);
  const agesMs: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    await clock.advance(1_000);
    const known = metrics.known(asked);
    const atMs =
      known?.ok === true && known.result.type === "vector" ? known.result.samples[0]?.atMs : undefined;
    if (atMs !== undefined) agesMs.push(clock.nowMs() - atMs);
  }
  expect(agesMs.at(0)).toBeGreaterThan(100);
  expect(agesMs.slice(-4)).toEqual([100, 100, 100, 100]);
  expect(live.scrapes).toBe(2 * 13);
});

test("irregular requests move no round", async () => {
  const { clock, live, metrics, query } = rig();
  metrics.known(query(rate));
  for (const waitMs of [300, 700, 1_500, 400, 1_700, 2_000, 600, 800]) {
    await clock.advance(waitMs);
    metrics.known(query(rate));
  }
  expect(live.scrapes).toBe(2 * 9);
});
