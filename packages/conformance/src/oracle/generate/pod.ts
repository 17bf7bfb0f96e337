// Generates random pods: ready, unready, starting, failed and without requests.
import type { Random } from "../random.ts";
import { quantityText, someAmount } from "./amount.ts";
import { instant, nearEdge, zeroTime } from "./instant.ts";

export interface Timing {
  readonly nowMs: number;
  readonly initializationMs: number;
  readonly readinessDelayMs: number;
}

/** How unlike a healthy, settled workload the pods of a case are. */
export interface Mood {
  readonly odd: number;
  readonly missingRequests: number;
  readonly podLevel: number;
}

export interface Container {
  readonly name: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  readonly restartPolicy?: string;
}

export interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string | null };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    readonly overhead?: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly phase?: string;
    readonly startTime?: string | null;
    readonly conditions?: readonly Readonly<Record<string, string | null>>[];
  };
}

export function someMood(random: Random): Mood {
  return {
    odd: random.weighted([
      [35, 0],
      [35, 0.15],
      [30, 0.5],
    ]),
    missingRequests: random.chance(0.08) ? 0.2 : 0,
    podLevel: random.chance(0.1) ? 0.6 : 0,
  };
}

/** Containers have the same names and, mostly, the same requests in every pod of a workload. */
export function somePods(random: Random, timing: Timing, mood: Mood): readonly Pod[] {
  const count = random.weighted([
    [3, 0],
    [60, random.int(1, 6)],
    [30, random.int(7, 15)],
    [4, random.int(16, 60)],
  ]);
  return podsOf(random, timing, { mood, count });
}

export function podsOf(
  random: Random,
  timing: Timing,
  { mood, count }: { mood: Mood; count: number },
): readonly Pod[] {
  const template = someSpec(random, mood);
  return Array.from({ length: count }, (_, at) => ({
    metadata: { name: `web-${at}`, ...someDeletion(random, timing, mood) },
    spec: random.chance(0.9) ? template : someSpec(random, mood),
    status: somePodStatus(random, timing, mood),
  }));
}

function someDeletion(random: Random, timing: Timing, mood: Mood): { deletionTimestamp?: string | null } {
  if (random.chance(mood.odd * 0.2)) return { deletionTimestamp: instant(timing.nowMs) };
  return random.chance(mood.odd * 0.05) ? { deletionTimestamp: null } : {};
}

function someSpec(random: Random, mood: Mood): Pod["spec"] {
  const names = ["app", "proxy", "log"].slice(
    0,
    random.weighted([
      [7, 1],
      [2, 2],
      [1, 3],
    ]),
  );
  const container = (name: string): Container => ({ name, ...someResources(random, mood) });
  return {
    containers: names.map(container),
    ...(random.chance(mood.podLevel > 0 ? 0.5 : 0.15)
      ? {
          initContainers: ["init", "sidecar", "warm-up"].slice(0, random.int(1, 3)).map((name) => ({
            ...container(name),
            ...(random.chance(0.6) ? { restartPolicy: "Always" } : {}),
          })),
        }
      : {}),
    ...(random.chance(mood.podLevel) ? somePodLevelResources(random, mood) : {}),
    ...(random.chance(mood.podLevel) ? { overhead: { cpu: "250m", memory: "128Mi" } } : {}),
  };
}

function someResources(random: Random, mood: Mood): { resources?: { requests: Record<string, string> } } {
  const requests: Record<string, string> = {};
  for (const resource of ["cpu", "memory"]) {
    if (!random.chance(mood.missingRequests)) {
      requests[resource] = random.chance(0.02) ? "0" : quantityText(random, someAmount(random, resource));
    }
  }
  if (random.chance(0.06)) requests["example.com/widgets"] = String(random.int(1, 5));
  return Object.keys(requests).length === 0 && random.chance(0.5) ? {} : { resources: { requests } };
}

function somePodLevelResources(random: Random, mood: Mood): Pick<Pod["spec"], "resources"> {
  const { resources } = someResources(random, { ...mood, missingRequests: 0.4 });
  const pages = random.chance(0.2) ? { "hugepages-2Mi": "4Mi" } : {};
  return { resources: { ...resources, requests: { ...resources?.requests, ...pages } } };
}

function somePodStatus(random: Random, timing: Timing, mood: Mood): Pod["status"] {
  const odd = random.chance(mood.odd);
  const phase = odd
    ? random.weighted<string | undefined>([
        [4, "Running"],
        [3, "Pending"],
        [2, "Failed"],
        [2, "Succeeded"],
        [1, "Unknown"],
        [1, undefined],
      ])
    : "Running";
  const startMs = odd ? oddStart(random, timing) : timing.nowMs - random.int(3600, 200_000) * 1000;
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(startMs === undefined
      ? random.chance(0.3)
        ? { startTime: null }
        : {}
      : { startTime: instant(startMs) }),
    ...someConditions(random, { timing, odd, startMs: startMs ?? timing.nowMs }),
  };
}

function oddStart(random: Random, timing: Timing): number | undefined {
  return random.weighted<number | undefined>([
    [3, nearEdge(random, timing.nowMs - timing.initializationMs)],
    [3, timing.nowMs - random.int(0, 600) * 1000],
    [2, timing.nowMs - random.int(600, 100_000) * 1000],
    [1, timing.nowMs + 5000],
    [1, undefined],
  ]);
}

function someConditions(
  random: Random,
  { timing, odd, startMs }: { timing: Timing; odd: boolean; startMs: number },
): Pick<Pod["status"], "conditions"> {
  if (odd && random.chance(0.1)) return random.chance(0.5) ? {} : { conditions: [] };
  const status = odd
    ? random.weighted([
        [4, "True"],
        [5, "False"],
        [1, "Unknown"],
      ])
    : "True";
  const since = odd
    ? random.weighted<string | null | undefined>([
        [3, instant(nearEdge(random, startMs + timing.readinessDelayMs))],
        [3, instant(nearEdge(random, timing.nowMs - random.int(0, 90) * 1000))],
        [2, instant(startMs + random.int(0, 100) * 1000)],
        [1, zeroTime],
        [1, undefined],
        [0.5, null],
      ])
    : instant(startMs + 20_000);
  const ready = { type: "Ready", status, ...(since === undefined ? {} : { lastTransitionTime: since }) };
  const other = { type: random.pick(["Initialized", "PodScheduled"]), status: "True" };
  const second = { type: "Ready", status: random.pick(["True", "False"]) };
  return random.weighted([
    [80, { conditions: [ready] }],
    [18, { conditions: [other, ready] }],
    [2, { conditions: [ready, second] }],
  ]);
}
