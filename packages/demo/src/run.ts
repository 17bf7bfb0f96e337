// Runs the demo: starts the stack, shows the load while it lasts, and compares the peaks with the formula.
import { fileURLToPath } from "node:url";
import { type ChildOptions, type Stack, startStack, until } from "@plimsoll/testbed";
import { Interrupted } from "./interrupted.ts";
import { createObserver, type Observer } from "./observer.ts";
import type { DemoOptions } from "./options.ts";
import { createScenario, keptLoads, quietLoads, type Scenario } from "./scenario.ts";
import { createScreen, type Screen } from "./screen.ts";
import { demoSettings, startDemoAutoscaler } from "./start-autoscaler.ts";
import { type DemoConsole, startConsole } from "./start-console.ts";
import { renderSummary } from "./summary.ts";

export interface DemoRun extends DemoOptions {
  /** Empty; the caller removes it. */
  readonly folder: string;
  /** The Prometheus program. */
  readonly prometheus: string;
  readonly out: NodeJS.WriteStream;
  /** Ends the demo early; its reason is an Interrupted. */
  readonly signal: AbortSignal;
  readonly onSpawn: ChildOptions["onSpawn"];
}

const TICK_MS = 500;
/** Four seconds, longer than the rates' own range: what is late to show has shown. */
const SETTLED_LOOKS = 8;

const example = (name: string) => fileURLToPath(new URL(`../../../examples/demo/${name}`, import.meta.url));

/** Plays the demo. The exit code: 0 when every workload did what the formula says. @throws Interrupted */
export async function runDemo(run: DemoRun): Promise<number> {
  const scenario = createScenario(run.speed);
  const screen = createScreen(run.out, run.speed === "fast" ? 4_000 : 10_000);
  screen.say("Starting the sandbox cluster, a real Prometheus and the metrics adapter …");
  const stack = await startStack({
    folder: run.folder,
    prometheus: run.prometheus,
    scrapeIntervalMs: 1000,
    rules: example("rules.yaml"),
    workloads: example("workloads.yaml"),
    loads: quietLoads(scenario),
    isObserved: true,
    onSpawn: run.onSpawn,
    // Half of the scrape interval: an older response would show the load of fewer pods.
    adapterArgs: ["--metrics-relist-interval=2s", "--metrics-max-age=10s", "--metrics-result-max-age=500ms"],
  });
  try {
    screen.say("Waiting until Prometheus has scraped and the metrics APIs respond …");
    for (const path of metricPaths) {
      await until(`a response at ${path}`, () => isServed(stack, path), {
        timeoutMs: 60_000,
        signal: run.signal,
      });
    }
    return await playWith(stack, { run, scenario, screen });
  } finally {
    await stack.stop();
  }
}

/** One request for each autoscaler's metric. */
const metricPaths = [
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/ingresses.networking.k8s.io/main-route/requests-per-second",
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
  "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
];

async function isServed(stack: Stack, path: string): Promise<true | undefined> {
  const { items } = await stack.client.request<{ items: readonly unknown[] }>({ path });
  return items.length > 0 ? true : undefined;
}

interface Stage {
  readonly run: DemoRun;
  readonly scenario: Scenario;
  readonly screen: Screen;
}

async function playWith(stack: Stack, stage: Stage): Promise<number> {
  const { run, scenario, screen } = stage;
  const autoscaler = await startDemoAutoscaler(stack, run);
  stack.scrapeAutoscaler(autoscaler.port);
  const observer = createObserver({ stack, scenario, decisionsUrl: `http://127.0.0.1:${autoscaler.port}` });
  let page: DemoConsole | undefined;
  try {
    page = await startConsole(stack, {
      onSpawn: run.onSpawn,
      onNext: (address) => screen.say(`The page was opened. For another browser: ${address}`),
    });
    screen.say(`The same in a web page, from now on: ${page.address()}`);
    await stack.apply(example("autoscalers.yaml"));
    await until("every autoscaler to read its metrics", () => observer.everyMetricIsRead(), {
      timeoutMs: 60_000,
      signal: run.signal,
    });
    screen.say("Playing the load: quiet, spike, quiet.\n");
    await play(observer, stack, stage);
    run.signal.throwIfAborted();
    const results = observer.results();
    screen.say(`\nPeaks against the formula ⌈load ÷ target⌉:\n\n${renderSummary(results).join("\n")}\n`);
    const agreed = results.every((result) => result.complaint === undefined);
    if (run.keep) {
      stack.load.play(keptLoads(scenario));
      await keep(stack, { ...stage, address: page.address() });
    }
    return agreed ? 0 : 1;
  } finally {
    observer.stop();
    await page?.stop();
    await autoscaler.stop();
  }
}

/** Runs the scenario in real time and draws it. */
async function play(observer: Observer, stack: Stack, { run, scenario, screen }: Stage): Promise<void> {
  const startedAt = performance.now();
  let fellAtMs: number | undefined;
  stack.load.play(scenario.streams.map(({ load }) => load));
  for (let tick = 1; !run.signal.aborted; tick += 1) {
    await observer.tick();
    const elapsedMs = performance.now() - startedAt;
    screen.picture(observer.picture({ elapsedMs, width: screen.width, color: screen.color }), elapsedMs);
    if (fellAtMs !== undefined) {
      if (elapsedMs >= fellAtMs + scenario.quietMs) return;
    } else if (
      elapsedMs >= scenario.fallAtMs &&
      (observer.hasSettled(SETTLED_LOOKS) || elapsedMs >= scenario.fallAtMs + scenario.timeoutMs)
    ) {
      fellAtMs = elapsedMs;
      stack.load.play(quietLoads(scenario));
    }
    await delay(Math.max(0, tick * TICK_MS - (performance.now() - startedAt)), run.signal);
  }
}

async function keep(
  stack: Stack,
  { run, screen, address }: Stage & { readonly address: string },
): Promise<void> {
  screen.say(`Everything stays up until you press Ctrl-C, the page too: ${address}

In another terminal:

  export KUBECONFIG=${stack.kubeconfig}
  kubectl get hpa -A
  kubectl describe hpa router
  kubectl get --raw "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second"
  kubectl top pods
  kubectl get pods -w

One workload is stuck: 400 messages wait for worker, and its replicas stay at 10. Why, and what would change it:

  npm run -s plimsoll -- explain worker
  npm run -s plimsoll -- explain worker --why-not 14
  npm run -s plimsoll -- status

What Prometheus remembers of it is enough to decide all again, by our rules alone: docs/tutorial-backtest.md

  export PROMETHEUS_URL=${stack.prometheus.url}
  npm run -s plimsoll -- backtest --all --prometheus-url $PROMETHEUS_URL --since 5m --partial \\
    --rules examples/demo/rules.yaml ${demoSettings(run.speed).join(" ")}
`);
  await new Promise<void>((resolve) => {
    if (run.signal.aborted) resolve();
    run.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  // Ctrl-C is how this ends well.
  if (!(run.signal.reason instanceof Interrupted && run.signal.reason.by === "SIGINT"))
    run.signal.throwIfAborted();
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
