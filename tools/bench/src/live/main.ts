// What live metrics cost: a scrape, the storing of its samples, and an evaluation: npm run task -- bench-live
import { compileQuery, createExpositionReader, createStore, evaluate, type Plan } from "@plimsoll/live";
import { measure } from "../core/measure.ts";

const startMs = 1_700_000_000_000;
const passes = 50;
const pods = 1_000;
const wantedSeries = 3;

/** About 10 kB, as a small Go server has it: counters, gauges, and a histogram, each with its help and type. */
function exposition(pod: number): Buffer {
  const lines: string[] = [];
  const family = (name: string, type: string, samples: readonly string[]): void => {
    lines.push(`# HELP ${name} What ${name} counts, in one sentence.`, `# TYPE ${name} ${type}`, ...samples);
  };
  const codes = ["200", "404", "500"].slice(0, wantedSeries);
  family(
    "http_requests_total",
    "counter",
    codes.map((code, at) => `http_requests_total{code="${code}",method="get"} ${pod + at * 1_000}`),
  );
  for (let at = 0; at < 30; at += 1)
    family(`go_memstats_value_${at}_bytes`, "gauge", [`go_memstats_value_${at}_bytes ${at}.5e+06`]);
  const buckets = Array.from(
    { length: 80 },
    (_, at) => `latency_seconds_bucket{route="/api/items",le="${at}"} ${at}`,
  );
  family("latency_seconds", "histogram", buckets);
  return Buffer.from(`${lines.join("\n")}\n`);
}

function planOf(query: string): Plan {
  const plan = compileQuery(query);
  if (!plan.ok) throw new Error(plan.message);
  return plan;
}

const plan = planOf('sum(rate(http_requests_total{code!="500"}[10s]))');
const bytes = exposition(1);
const reader = createExpositionReader({
  selectors: planOf("http_requests_total").selectors,
  targetLabels: [["pod", "p-1"]],
});

function searched(): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

function scraped(): number {
  const scrape = reader.start("prometheus");
  scrape.push(bytes);
  const result = scrape.end();
  if (!result.ok || result.samples.length !== wantedSeries) throw new Error("the scrape is wrong");
  return result.samples.length;
}

const repeated = (run: () => number) => (): number => {
  let sum = 0;
  for (let pass = 0; pass < passes; pass += 1) sum += run();
  return sum;
};

const store = createStore();
const watch = store.watch(plan);
const targets = Array.from({ length: pods }, (_, pod) => ({
  target: store.target(),
  reader: createExpositionReader({ selectors: plan.selectors, targetLabels: [["pod", `p-${pod}`]] }),
}));
let second = 0;

/** Each pod once, and the query. */
function round(): number {
  second += 1;
  const atMs = startMs + second * 1_000;
  for (const { target, reader } of targets) {
    const scrape = reader.start("prometheus");
    scrape.push(bytes);
    const result = scrape.end();
    if (!result.ok) throw new Error(result.message);
    target.scraped(result.samples, atMs);
  }
  return evaluated();
}

function evaluated(): number {
  const result = evaluate(plan, { atMs: startMs + second * 1_000, seriesOf: watch.seriesOf });
  if (!result.ok || result.type !== "vector") throw new Error("the query has no result");
  return result.samples.length;
}

const timings = measure([
  { name: `search ${bytes.length} bytes for line breaks`, run: repeated(searched) },
  { name: `read ${wantedSeries} series of them`, run: repeated(scraped) },
]);
for (const { name, nanoseconds } of timings)
  console.log(`${name}: ${(nanoseconds / passes / 1_000).toFixed(1)} µs of CPU`);
for (const { name, nanoseconds } of measure([
  { name: `a round of ${pods} pods: read, store, evaluate`, run: round },
  { name: "one evaluation of it", run: evaluated },
]))
  console.log(`${name}: ${(nanoseconds / 1_000_000).toFixed(1)} ms of CPU`);
