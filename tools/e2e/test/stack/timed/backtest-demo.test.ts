// The demo, recorded by a real Prometheus and backtested as docs/tutorial-backtest.md does it: bar A2.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { runCli } from "@plimsoll/cli";
import { createScenario, startDemoAutoscaler } from "@plimsoll/demo";
import { type PlimsollProcess, type Stack, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decidedInstants } from "../../../backtest/records.ts";
import { example, local, temporaryStack } from "../../fixture.ts";

const names = ["api", "router", "shop", "worker"];
/** Of a second each. */
const minSteps = 50;
/** Longer than the windows of the demo's autoscalers, so that what they remember at its beginning says nothing later. */
const quietScrapes = 18;

let stack: Stack;
let stop: () => Promise<void>;
let folder: string;
let autoscaler: PlimsollProcess;

beforeAll(async () => {
  const { streams } = createScenario("full");
  const quiet = streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) }));
  ({ stack, stop, folder } = await temporaryStack({
    rules: example("rules.yaml"),
    loads: quiet,
    isObserved: true,
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=60s", "--metrics-result-max-age=100ms"],
  }));
  const records = join(folder, "records");
  mkdirSync(records);
  autoscaler = await startDemoAutoscaler(stack, {
    folder,
    speed: "full",
    args: [`--record-inputs=${records}`],
  });
  stack.scrapeAutoscaler(autoscaler.port);
  await stack.apply(example("autoscalers.yaml"));
  await scraped();
  // The swell of the full demo in a third of its time.
  stack.load.play(
    streams.map(({ load }) => ({
      ...load,
      points: load.points.map(({ atMs, value }) => ({ atMs: atMs / 3, value })),
    })),
  );
  await until(`${minSteps} decisions of each autoscaler`, () =>
    names.every((name) => decidedInstants(records, name).length > minSteps + quietScrapes) ? true : undefined,
  );
  stack.load.play(quiet);
});

/** A quiet beginning of the history: what is remembered from before it is over when the load rises. */
async function scraped(): Promise<void> {
  const promql = `count_over_time(plimsoll_horizontalpodautoscaler_info{mode="active"}[1m]) >= ${quietScrapes}`;
  const url = `${stack.prometheus.url}/api/v1/query?query=${encodeURIComponent(promql)}`;
  await until(`${quietScrapes} scrapes of each autoscaler`, async () => {
    const { data } = (await (await fetch(url)).json()) as {
      readonly data: { readonly result: readonly unknown[] };
    };
    return data.result.length === names.length ? true : undefined;
  });
}

afterAll(async () => {
  await autoscaler?.stop();
  await stop?.();
});

const page = readFileSync(local("../../../docs/tutorial-backtest.md"), "utf8");

const spelling = /^(?:kubectl )?plimsoll /;

/** The commands of the page that need the demo's Prometheus, as words. */
function commands(): readonly (readonly string[])[] {
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .filter((line) => line.includes("$PROMETHEUS_URL") && spelling.test(line))
    .map((line) => line.replace(spelling, "").split(" "));
}

async function run(words: readonly string[]) {
  let [out, errors] = ["", ""];
  const root = local("../../../");
  const args = words.map((word) =>
    word
      .replace("$PROMETHEUS_URL", stack.prometheus.url)
      .replace(/^examples\//, `${root}examples/`)
      .replace(/^router\.jsonl\.gz$/, join(folder, "router.jsonl.gz")),
  );
  const code = await runCli({
    args: [...args, `--kubeconfig=${stack.kubeconfig}`],
    name: "plimsoll",
    version: "0.0.0",
    readText: (path) => Promise.resolve(readFileSync(path, "utf8")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  return { code, out, errors };
}

test("all autoscalers of the demo decide again as they did, at instants that their own series name, and what differs has a cause", async () => {
  const [all = []] = commands();
  const { out } = await run([...all, "-o", "json"]);
  const { objects } = JSON.parse(out) as Document;
  expect(objects.map(({ object }) => object).toSorted()).toEqual(names.map((name) => `default/${name}`));
  const short = objects.filter(({ openLoop: { steps } }) => steps < minSteps);
  const unexplained = objects.filter(({ openLoop: { causes } }) => (causes["unexplained"] ?? 0) > 0);
  const guessed = objects.filter(({ clock }) => clock.state !== "known");
  expect({ short, unexplained, guessed }).toEqual({ short: [], unexplained: [], guessed: [] });
  const sum = (of: (one: Document["objects"][number]) => number): number =>
    objects.reduce((whole, one) => whole + of(one), 0);
  const [steps, agreed] = [sum(({ openLoop }) => openLoop.steps), sum(({ openLoop }) => openLoop.agreed)];
  expect(agreed / steps).toBeGreaterThanOrEqual(0.99);
});

interface Document {
  readonly objects: readonly {
    readonly object: string;
    readonly clock: { readonly state: string };
    readonly openLoop: {
      readonly steps: number;
      readonly agreed: number;
      readonly causes: Readonly<Record<string, number>>;
    };
  }[];
}

test("the instants are those of the decision log", async () => {
  const [, save = []] = commands();
  const { code, errors } = await run(save);
  expect([code, errors]).toEqual([0, expect.stringMatching(/^(?:note: .*\n)*$/)]);
  const lines = gunzipSync(readFileSync(join(folder, "router.jsonl.gz")))
    .toString("utf8")
    .trimEnd()
    .split("\n");
  const syncs = lines.flatMap(
    (line) => (JSON.parse(line) as { readonly syncs?: readonly number[] }).syncs ?? [],
  );
  const decided = decidedInstants(join(folder, "records"), "router");
  // The newest records are still in the buffer of the file. Two decisions between two scrapes of the autoscaler show one
  // instant: the other is put between its neighbors.
  const logged = syncs.filter((atMs) => atMs <= (decided.at(-1) ?? 0));
  const far = logged.filter((atMs) => !decided.some((instant) => Math.abs(instant - atMs) <= 2));
  expect(logged.length).toBeGreaterThanOrEqual(minSteps);
  expect(far.length).toBeLessThanOrEqual(0.05 * logged.length);
});
