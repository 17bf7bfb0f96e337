import {
  compileQuery,
  createStore,
  evaluate,
  labelSet,
  type Plan,
  type Store,
  type Watch,
} from "@plimsoll/live";
import { expect, test } from "vitest";

const startMs = 1_700_000_000_000;

function planOf(query: string): Plan {
  const plan = compileQuery(query);
  if (!plan.ok) throw new Error(plan.message);
  return plan;
}

function sample(pod: string, value: number, atMs?: number) {
  return {
    labels: labelSet([
      ["__name__", "x_total"],
      ["pod", pod],
    ]),
    value,
    atMs,
  };
}

/** Values of a query after some seconds. */
function ask(plan: Plan, watch: Watch, seconds: number): unknown {
  const result = evaluate(plan, {
    atMs: startMs + seconds * 1_000,
    lookbackMs: 5_000,
    seriesOf: watch.seriesOf,
  });
  return result.ok && result.type === "vector" ? result.samples.map(({ value }) => value) : result;
}

function at(seconds: number): number {
  return startMs + seconds * 1_000;
}

test("queries read what is scraped", () => {
  const store = createStore();
  const plan = planOf("sum by (pod) (rate(x_total[10s]))");
  const watch = store.watch(plan);
  const [a, b] = [store.target(), store.target()];
  for (let second = 0; second <= 100; second += 1) {
    a.scraped([sample("a", second)], at(second));
    b.scraped([sample("b", second * 2)], at(second));
  }
  expect(ask(plan, watch, 100)).toEqual([1, 2]);
});

test("a series that is missing from a scrape goes stale, and so do all of a scrape that failed", () => {
  const store = createStore();
  const plan = planOf("x_total");
  const watch = store.watch(plan);
  const target = store.target();
  target.scraped([sample("a", 1), sample("b", 2)], at(0));
  target.scraped([sample("a", 3)], at(1));
  expect(ask(plan, watch, 1)).toEqual([3]);
  target.failed(at(2));
  expect(ask(plan, watch, 2)).toEqual([]);
  target.scraped([sample("a", 4)], at(3));
  expect(ask(plan, watch, 3)).toEqual([4]);
  target.failed(at(4));
  expect(ask(plan, watch, 4)).toEqual([]);
});

test("a series with times of its own does not go stale", () => {
  const store = createStore();
  const plan = planOf("x_total");
  const watch = store.watch(plan);
  const target = store.target();
  target.scraped([sample("a", 1, at(0))], at(1));
  target.scraped([], at(2));
  expect(ask(plan, watch, 2)).toEqual([1]);
});

test("of two samples of one time the first is kept, and an older one is none", () => {
  const store = createStore();
  const plan = planOf("x_total");
  const watch = store.watch(plan);
  const target = store.target();
  target.scraped([sample("a", 1), sample("a", 2), sample("a", 3, at(-5))], at(0));
  expect(ask(plan, watch, 0)).toEqual([1]);
});

test("memory does not grow with time", () => {
  const store = createStore({ lookbackMs: 5_000 });
  const plan = planOf("rate(x_total[10s])");
  const watch = store.watch(plan);
  const target = store.target();
  for (let second = 0; second <= 10_000; second += 1) target.scraped([sample("a", second)], at(second));
  expect(store.held).toMatchObject({ series: 1, samples: 32 });
  expect(ask(plan, watch, 10_000)).toEqual([1]);
});

test("what no query asks for is not kept, and is freed when the last one ends", () => {
  const store = createStore();
  const target = store.target();
  target.scraped([sample("a", 1)], at(0));
  expect(store.held.series).toBe(0);
  const plan = planOf('x_total{pod="a"}');
  const [first, second] = [store.watch(plan), store.watch(plan)];
  const other = store.watch(planOf('x_total{pod="b"}'));
  target.scraped([sample("a", 1), sample("b", 1), sample("c", 1)], at(1));
  expect(store.held.series).toBe(2);
  first.close();
  first.close();
  expect(ask(plan, second, 1)).toEqual([1]);
  second.close();
  expect(store.held.series).toBe(1);
  other.close();
  expect(store.held).toEqual({ series: 0, samples: 0, labelBytes: 0 });
});

test("a new query finds the series that are there", () => {
  const store = createStore();
  store.watch(planOf("x_total"));
  store.target().scraped([sample("a", 1)], at(0));
  const plan = planOf("sum(x_total)");
  expect(ask(plan, store.watch(plan), 0)).toEqual([1]);
});

test("series that ended are freed after the longest range", () => {
  const store = createStore({ lookbackMs: 1_000 });
  store.watch(planOf("rate(x_total[10s])"));
  store.target().scraped([sample("a", 1)], at(0));
  store.prune(at(9));
  expect(store.held.series).toBe(1);
  store.prune(at(10));
  expect(store.held).toEqual({ series: 0, samples: 0, labelBytes: 0 });
});

const limits = { series: 1_000, samples: 10_000, labelBytes: 10_000 };

test.each([
  ["series", { series: 2 }],
  ["samples", { samples: 40 }],
  ["bytes of labels", { labelBytes: 400 }],
])("a namespace keeps a bounded number of %s", (_, own) => {
  const store: Store = createStore({ limits: { ...limits, ...own } });
  store.watch(planOf("x_total"));
  const stored = store.target().scraped([sample("a", 1), sample("b", 1), sample("c", 1)], at(0));
  expect(stored).toBe(1);
  expect(store.held.series).toBe(2);
});

test("a series that may not grow still ends", () => {
  const store = createStore({ limits: { ...limits, samples: 16 } });
  const plan = planOf("last_over_time(x_total[1h])");
  const watch = store.watch(plan);
  const target = store.target();
  const refused = Array.from({ length: 20 }, (_, second) =>
    target.scraped([sample("a", second)], at(second)),
  );
  expect(refused.filter((one) => one > 0)).toHaveLength(4);
  target.failed(at(20));
  expect(ask(plan, watch, 20)).toEqual([14]);
  expect(store.held.samples).toBe(16);
});
