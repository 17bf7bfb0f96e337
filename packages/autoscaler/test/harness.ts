import { get } from "node:http";
import { type Clock, systemClock } from "@plimsoll/component-base";
import type { ManualClock } from "@plimsoll/component-base/testing";
import { type DecideInput, type DecideResult, type Decision, decide as decideByCore } from "@plimsoll/core";
import { connect, type KubeClient } from "@plimsoll/kube";
import { createHttpListener } from "@plimsoll/kube/serving";
import { readBudget } from "@plimsoll/properties";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished } from "vitest";
import {
  type Autoscaler,
  type AutoscalerConfig,
  type AutoscalerDeps,
  compileConfig,
  createAutoscaler,
  type DecisionLog,
  readCommandLine,
} from "../src/index.ts";
import type { Listen } from "../src/server/serving.ts";
import { type FakeApi, startFakeApi } from "./fake-api.ts";
import { type Call, notReplayed, violations } from "./faults/invariants.ts";

export { deployment, hitsPath, hpa, pod, podsMetric, workload, writes } from "./workloads.ts";

/** All cases of what is a sample in a daily run. */
export const isFullRun = readBudget(process.env).times >= 1;

/**
 * Advances a clock in small steps until the check passes, for so much of its time at most.
 * @returns how much of its time that took.
 */
export async function within(
  clock: ManualClock,
  limitMs: number,
  check: () => void | Promise<void>,
): Promise<number> {
  const stepMs = 50;
  for (let tookMs = 0; ; tookMs += stepMs) {
    try {
      await check();
      return tookMs;
    } catch (error) {
      if (tookMs >= limitMs) throw error;
    }
    await clock.advance(stepMs);
  }
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

const ends: (() => Promise<void>)[] = [];
/** What was decided against each API server, and the processes that still run. */
const witnesses = new Map<FakeApi, Call[]>();
const alive = new Set<string>();
/** Logs of decisions that core made. */
const decisionLogs: DecisionLog[] = [];

/** Keeps no connection of a test: an idle one holds up the end of the process. */
const listen: Listen = (options) =>
  createHttpListener({
    ...options,
    handler(request, response) {
      response.shouldKeepAlive = false;
      options.handler(request, response);
    },
  });

function liveness(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/livez`, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
}

let isChecked = false;

/** At the end of the test that runs: whatever it did, the invariants hold; I6: a process that lives answers. */
async function checkAndStop(): Promise<void> {
  isChecked = false;
  const answers = await Promise.all([...alive].map(liveness));
  const broken = [...witnesses].flatMap(([{ scaled }, calls]) => violations({ scaled, calls }));
  broken.push(...decisionLogs.splice(0).flatMap(notReplayed));
  witnesses.clear();
  alive.clear();
  for (const end of ends.splice(0).reverse()) await end();
  const silent = answers.filter((status) => status !== 200).map((status) => `I6: /livez returns ${status}`);
  if (broken.length + silent.length > 0) throw new Error([...broken, ...silent].join("\n"));
}

export interface Rig {
  readonly api: FakeApi;
  readonly autoscaler: Autoscaler;
  readonly url: string;
  /** 0 without HTTPS. */
  readonly securePort: number;
  readonly log: readonly LogLine[];
  /** What decide was asked, in order. */
  readonly inputs: readonly DecideInput[];
}

let processes = 0;

/** A running autoscaler against a fake API server; its schedule is an hour long, so that only the test acts. */
export async function rig(
  options: {
    readonly config?: Partial<AutoscalerConfig>;
    readonly decide?: AutoscalerDeps["decide"];
    readonly runTask?: AutoscalerDeps["runTask"];
    readonly before?: (api: FakeApi) => void;
    readonly synced?: boolean;
    /** An API server that is there already, for a second instance. */
    readonly api?: FakeApi;
    readonly identity?: string;
    readonly clock?: Clock;
    /** Over a port and sockets; without it requests are calls of functions. */
    readonly isOverHttp?: boolean;
    /** Its pod, and the files that it reads. */
    readonly hostname?: string;
    readonly readText?: AutoscalerDeps["readText"];
    /** Between the process and the API server. */
    readonly wrapClient?: (client: KubeClient) => KubeClient;
  } = {},
): Promise<Rig> {
  // Files share this module, so that a hook at its top would be that of the first file alone.
  if (!isChecked) onTestFinished(checkAndStop);
  isChecked = true;
  const clock = options.clock ?? systemClock;
  const api = options.api ?? (await startFakeApi(clock.nowMs));
  if (options.api === undefined) ends.push(() => api.stop());
  options.before?.(api);
  const calls = witnesses.get(api) ?? [];
  witnesses.set(api, calls);
  const userAgent = options.identity ?? `test-${++processes}`;
  const client =
    options.isOverHttp === true
      ? await connect({ kubeconfig: api.kubeconfig, userAgent })
      : api.client(userAgent, clock);
  ends.push(() => client.close());
  const log: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    log.push({ level, message, fields: fields as Record<string, unknown> });
  };
  const inputs: DecideInput[] = [];
  const decide = options.decide ?? decideByCore;
  const compiled = compileConfig(
    readCommandLine([
      "--port=0",
      "--insecure-decisions",
      "--leader-elect=false",
      "--watch-scale-targets=false",
      "--manage-hpas=all",
      "--horizontal-pod-autoscaler-sync-period=1h",
    ]),
  );
  if (!compiled.ok) throw new Error("the test's own flags are wrong");
  const autoscaler = createAutoscaler(
    { ...compiled.config, ...options.config },
    {
      client: options.wrapClient?.(client) ?? client,
      clock,
      log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
      random: () => 0.5,
      listen,
      ...(options.runTask === undefined ? {} : { runTask: options.runTask }),
      ...(options.identity === undefined ? {} : { identity: options.identity }),
      ...(options.hostname === undefined ? {} : { hostname: options.hostname }),
      ...(options.readText === undefined ? {} : { readText: options.readText }),
      decide: (input, memory) => {
        inputs.push(input);
        const result = decide(input, memory);
        calls.push({ input, memory, result, isCore: decide === decideByCore });
        return result;
      },
    },
  );
  if (decide === decideByCore) decisionLogs.push(autoscaler.decisions);
  const bound = await autoscaler.start();
  const url = `http://${bound.address}:${bound.port}`;
  alive.add(url);
  const stop = (): Promise<void> => {
    alive.delete(url);
    return autoscaler.stop();
  };
  ends.push(stop);
  if (options.synced !== false)
    await eventually(() => expect(log.some(({ message }) => message === "evaluating")).toBe(true));
  return { api, autoscaler: { ...autoscaler, stop }, url, securePort: bound.securePort ?? 0, log, inputs };
}

/** A decision function that wants `want(input)` replicas and says so in the status. */
export function wanting(want: (input: DecideInput) => number): NonNullable<AutoscalerDeps["decide"]> {
  return (input, memory): DecideResult => {
    const current = input.scale.ok ? input.scale.specReplicas : 0;
    const desired = input.scale.ok ? want(input) : current;
    const scaleTo = desired === current ? undefined : desired;
    const decision: Decision = {
      currentReplicas: current,
      desiredReplicas: desired,
      scaleTo,
      reason: scaleTo === undefined ? "" : "load above target",
      status: { currentReplicas: current, desiredReplicas: desired, currentMetrics: null, conditions: [] },
      statusChanged:
        input.hpa.status?.currentReplicas !== current || input.hpa.status?.desiredReplicas !== desired,
      events:
        scaleTo === undefined
          ? []
          : [
              {
                type: "Normal",
                reason: "SuccessfulRescale",
                message: `New size: ${scaleTo}; reason: load above target`,
              },
            ],
      outcome: {
        action: scaleTo === undefined ? "none" : scaleTo > current ? "scale_up" : "scale_down",
        error: input.scale.ok ? "none" : "internal",
        ...(input.scale.ok ? {} : { message: input.scale.message }),
      },
      trace: [],
    };
    const seen = { replicas: desired, atMs: input.nowMs };
    return {
      decision,
      memory: {
        recommendations: [...(memory?.recommendations ?? []), seen],
        scaleUpEvents: [],
        scaleDownEvents: [],
      },
    };
  };
}

/** Decides what there is. */
export const hold = wanting(({ scale }) => (scale.ok ? scale.specReplicas : 0));
