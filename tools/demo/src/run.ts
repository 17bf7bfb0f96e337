// Runs the demo: starts the stack, shows the load while it lasts, and compares the peaks with the formula.
import { type Stops, stopAll, until } from "@plimsoll/testbed";
import { Interrupted } from "./interrupted.ts";
import { createObserver, type Observer } from "./observer.ts";
import { createScenario, keptLoads, quietLoads, swellingLoads } from "./scenario.ts";
import { createScreen } from "./screen.ts";
import type { DemoRun, Stage } from "./stage.ts";
import { demoSettings } from "./start-autoscaler.ts";
import { type DemoStack, startDemo } from "./start-demo.ts";
import { renderSummary } from "./summary.ts";

const TICK_MS = 500;
/** Four seconds, longer than the rates' own range: what is late to show has shown. */
const SETTLED_LOOKS = 8;

/** Plays the demo. The exit code: 0 when every workload did what the formula says. @throws Interrupted */
export async function runDemo(run: DemoRun): Promise<number> {
  const scenario = createScenario(run.speed);
  const screen = createScreen(run.out, run.speed === "fast" ? 4_000 : 10_000);
  const stage: Stage = { run, scenario, screen };
  const stops: Stops = [];
  try {
    return await playWith(await startDemo(stage, stops), stage);
  } finally {
    await stopAll(stops);
  }
}

async function playWith(stack: DemoStack, stage: Stage): Promise<number> {
  const { run, scenario, screen } = stage;
  const observer = createObserver({ stack, scenario, decisionsUrl: stack.decisionsUrl });
  try {
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
      await keep(stack, stage);
    }
    return agreed ? 0 : 1;
  } finally {
    observer.stop();
  }
}

/** Runs the scenario in real time and draws it. */
async function play(observer: Observer, stack: DemoStack, { run, scenario, screen }: Stage): Promise<void> {
  const startedAt = performance.now();
  let fellAtMs: number | undefined;
  stack.load.play(swellingLoads(scenario));
  observer.begin();
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

async function keep(stack: DemoStack, { run, screen }: Stage): Promise<void> {
  screen.say(`Everything keeps running until you press Ctrl-C, including the page: ${stack.page.address()}

In a new terminal:

  export KUBECONFIG=${stack.kubeconfig}
  kubectl get hpa -A
  kubectl describe hpa router
  kubectl get --raw "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second"
  kubectl top pods
  kubectl get pods -w

One workload is stuck: 400 messages wait for worker, but it stays at 10 replicas. Find out why, and what would help:

  plimsoll explain worker
  plimsoll explain worker --why-not 14
  plimsoll status

Two more are not in the table: web/checkout has a schedule with at least 4 replicas in even minutes. pay/billing belongs to
another controller, and Plimsoll decides for it in shadow:

  plimsoll watch wla/checkout -n web
  plimsoll shadow -A

The adapter reads gateway's pods once a second, without Prometheus, so gateway scales within seconds:

  plimsoll explain wla/gateway

Roles and bindings decide what other users may do. A user without any:

  plimsoll explain worker --as jane

Prometheus has enough data to repeat all decisions except those of gateway with Plimsoll's rules: docs/tutorial-backtest.md

  export PROMETHEUS_URL=${stack.prometheus.url}
  plimsoll backtest --all --prometheus-url $PROMETHEUS_URL --since 5m --partial \\
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
