// What the victim sees, from a process of its own: nothing that the tests themselves do delays what is measured here.
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import { serveParent } from "@plimsoll/testbed";
import type { ProbeAnswer, ProbeQuestion, ProbeTargets } from "./probe-protocol.ts";
import { victim, victimObjects, victimRequests } from "./victim.ts";

const requestsPerSecond = 12;
const queriesPerSecond = 2;
/** The value of victim_total. */
const administratorWants = "120";
const looksPerSecond = 4;
const deadlineMs = 10_000;

let targets: ProbeTargets | undefined;
let requests: number[] = [];
let queries: number[] = [];
let liveAgeMs = 0;
/** Since when what is not answered yet waits: by its process, and for requests. */
const waitingHealth = new Map<string, number>();
const waitingRequests = new Set<number>();
const waitingQueries = new Set<number>();
let health: Record<string, number> = {};
const problems = new Set<string>();
/** Instants of the evaluations of each object, in order; the last of the window before is the first. */
const evaluated = new Map<string, number[]>();
const lastAtMs = new Map<string, number>();
const delay = monitorEventLoopDelay({ resolution: 20 });
delay.enable();
const agent = new HttpsAgent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 64 });

interface Answer {
  readonly code: number;
  readonly body: string;
}

/** Over a fresh connection, as a kubelet does, or over kept ones. */
function get(path: string, options: { readonly port: number; readonly token?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const sent = httpsRequest(
      {
        host: "127.0.0.1",
        port: options.port,
        path,
        headers,
        timeout: deadlineMs,
        ...(options.token === undefined ? { agent: false, rejectUnauthorized: false } : { agent }),
      },
      (response) => {
        text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }), reject);
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no response in ${deadlineMs} ms`)));
    sent.on("error", reject);
    sent.end();
  });
}

interface Item {
  readonly value?: string;
  readonly describedObject?: { readonly name: string };
  readonly metricLabels?: Readonly<Record<string, string>>;
  readonly metadata?: { readonly name: string };
  readonly containers?: readonly { readonly usage: { readonly cpu: string } }[];
}

/** A response in a line: names with their values. */
function brief(body: string): string {
  const { items } = JSON.parse(body) as { readonly items?: readonly Item[] };
  return (items ?? [])
    .map((item) => {
      const name = item.describedObject?.name ?? item.metadata?.name ?? item.metricLabels?.["queue"] ?? "";
      return `${name}=${item.value ?? item.containers?.[0]?.usage.cpu ?? ""}`;
    })
    .toSorted()
    .join(" ");
}

/** Of a Status; counts differ from one to the next. */
function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { readonly message?: string };
    return (message ?? body).replace(/\d+/g, "N").slice(0, 120);
  } catch {
    return body.slice(0, 120);
  }
}

let sent = 0;

async function requestOnce({ adapterPort, token }: ProbeTargets): Promise<void> {
  const n = sent++;
  const { path: template, expected } = victimRequests[n % victimRequests.length] ?? {
    path: "/",
    expected: "",
  };
  const path = template.replace("{n}", String(n));
  const startedAt = performance.now();
  waitingRequests.add(startedAt);
  try {
    const { code, body } = await get(path, { port: adapterPort, token });
    if (targets?.adapterPort !== adapterPort) return;
    requests.push(performance.now() - startedAt);
    if (code !== 200) problems.add(`request answered ${code}: ${template} ${messageOf(body)}`);
    else if (expected === "clock")
      liveAgeMs = Math.max(liveAgeMs, Date.now() - 1000 * Number(brief(body).slice(1)));
    else if (brief(body) !== expected) problems.add(`wrong value: ${template} gave ${brief(body)}`);
  } catch (error) {
    if (targets?.adapterPort !== adapterPort) return;
    requests.push(performance.now() - startedAt);
    problems.add(`request failed: ${template} ${String(error)}`);
  } finally {
    waitingRequests.delete(startedAt);
  }
}

/** An administrator beside the adapter: there is a slot of Prometheus for their query at all times. */
async function queryOnce({ prometheusUrl }: ProbeTargets): Promise<void> {
  const startedAt = performance.now();
  waitingQueries.add(startedAt);
  try {
    const query = `sum(victim_total{namespace="${victim}"}) + 0 * ${sent}`;
    const answer = await fetch(`${prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`, {
      signal: AbortSignal.timeout(deadlineMs),
    });
    const body = await answer.text();
    if (!body.includes(`"${administratorWants}"`))
      problems.add(`Prometheus itself: ${answer.status} ${messageOf(body)}`);
  } catch (error) {
    problems.add(`Prometheus itself: ${String(error)}`);
  } finally {
    waitingQueries.delete(startedAt);
    queries.push(performance.now() - startedAt);
  }
}

async function livez(name: string, url: string): Promise<void> {
  const known = targets;
  const startedAt = performance.now();
  let failure: string | undefined;
  waitingHealth.set(name, startedAt);
  try {
    if (url.startsWith("https:")) {
      const { code } = await get("/livez", { port: Number(new URL(url).port) });
      if (code !== 200) failure = `answered ${code}`;
    } else {
      const answer = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(deadlineMs) });
      if (!answer.ok) failure = `answered ${answer.status}`;
    }
  } catch (error) {
    failure = String(error);
  }
  waitingHealth.delete(name);
  if (known !== targets) return;
  health[name] = Math.max(health[name] ?? 0, performance.now() - startedAt);
  if (failure !== undefined) problems.add(`/livez of ${name}: ${failure}`);
}

interface Records {
  readonly items: readonly { readonly at: string; readonly decision: { readonly desiredReplicas: number } }[];
}

async function evaluations(url: string): Promise<void> {
  const known = targets;
  for (const { resource, name, replicas } of victimObjects) {
    const path = `${url}/apis/decisions/v1/namespaces/${victim}/${resource}/${name}`;
    const answer = await fetch(path, { signal: AbortSignal.timeout(deadlineMs) }).catch(() => undefined);
    if (answer?.ok !== true || known !== targets) continue;
    // A process that is killed meanwhile ends it in the middle.
    const read = (await answer.json().catch(() => undefined)) as Records | undefined;
    if (read === undefined) continue;
    const key = `${resource}/${name}`;
    const seen = evaluated.get(key) ?? [];
    const last = seen.at(-1) ?? 0;
    for (const { at, decision } of read.items) {
      const atMs = Date.parse(at);
      if (atMs <= last) continue;
      seen.push(atMs);
      lastAtMs.set(key, atMs);
      if (decision.desiredReplicas !== replicas)
        problems.add(`${key}: wants ${decision.desiredReplicas} replicas instead of ${replicas}`);
    }
    evaluated.set(key, seen);
  }
}

/** Runs one after the other, or at a pace of its own. */
function every(
  ms: number,
  act: (known: ProbeTargets) => Promise<unknown>,
  options: { alone: boolean },
): void {
  let busy = false;
  setInterval(() => {
    if (targets === undefined || (options.alone && busy)) return;
    busy = true;
    void act(targets).finally(() => {
      busy = false;
    });
  }, ms);
}

every(1000 / requestsPerSecond, requestOnce, { alone: false });
every(1000 / queriesPerSecond, queryOnce, { alone: false });
every(1000 / looksPerSecond, ({ adapterPort }) => livez("adapter", `https://127.0.0.1:${adapterPort}`), {
  alone: true,
});
for (const index of [0, 1]) {
  every(
    1000 / looksPerSecond,
    async ({ autoscalerPorts }) => {
      const port = autoscalerPorts[index];
      if (port === undefined) return;
      await livez(index === 0 ? "autoscaler" : `autoscaler ${index + 1}`, `http://127.0.0.1:${port}`);
      await evaluations(`http://127.0.0.1:${port}`);
    },
    { alone: true },
  );
}

/** In order of their times; of what is not answered yet, the time so far. */
function withWaiting(
  answered: readonly number[],
  waiting: ReadonlySet<number>,
  now: number,
): readonly number[] {
  return [...answered, ...[...waiting].map((since) => now - since)].toSorted((a, b) => a - b);
}

const p99 = (sorted: readonly number[]) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;

function take(nowMs: number): ProbeAnswer {
  const now = performance.now();
  for (const [name, since] of waitingHealth) health[name] = Math.max(health[name] ?? 0, now - since);
  const sorted = withWaiting(requests, waitingRequests, now);
  const asked = withWaiting(queries, waitingQueries, now);
  const gaps = Object.fromEntries(
    victimObjects.map(({ resource, name }) => {
      const key = `${resource}/${name}`;
      // Nothing but the present: not evaluated yet.
      const instants = [...(evaluated.get(key) ?? []), nowMs];
      const steps = instants.slice(1).map((at, index) => at - (instants[index] ?? at));
      evaluated.set(key, instants.slice(-2, -1));
      return [key, instants.length < 2 ? Number.MAX_SAFE_INTEGER : Math.max(...steps)];
    }),
  );
  const answer = {
    requests: sorted.length,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: p99(sorted),
    queries: asked.length,
    queriesP99Ms: p99(asked),
    liveAgeMs,
    livezMs: health,
    gapsMs: gaps,
    lastAtMs: Object.fromEntries(lastAtMs),
    problems: [...problems],
    stallMs: delay.max / 1e6,
  };
  delay.reset();
  requests = [];
  queries = [];
  liveAgeMs = 0;
  health = {};
  problems.clear();
  return answer;
}

serveParent((question: ProbeQuestion) => {
  if (question.targets !== undefined) {
    targets = question.targets;
    waitingHealth.clear();
    waitingRequests.clear();
  }
  if (question.forget === true)
    for (const { resource, name } of victimObjects) evaluated.set(`${resource}/${name}`, [Date.now()]);
  return take(Date.now());
});
