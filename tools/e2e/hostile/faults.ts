// What a Prometheus, or a proxy before it, can return to the adapter.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { PrometheusFault } from "./attack.ts";
import { echoed } from "./secrets.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface Faults {
  readonly answers: Readonly<Record<Exclude<PrometheusFault, "keeps-running">, Answer>>;
  readonly slots: Slots;
}

const longText = `query processing would load too many samples: ${"x".repeat(20_000_000)}`;
const empty = { resultType: "vector", result: [] };
/** Too deep for a recursive reader, so it cannot be written out. */
const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

export function createFaults(): Faults {
  return {
    slots: createSlots(),
    answers: {
      hangs: () => {},
      timeout: answer(503, failure("timeout", "query timed out in expression evaluation")),
      "long-error": answer(422, failure("execution", longText)),
      "long-warning": answer(200, JSON.stringify({ status: "success", data: empty, warnings: [longText] })),
      "nested-type": answer(200, `{"status":"success","data":{"resultType":${nested},"result":[]}}`),
      "fat-labels": fatLabels(),
      endless,
      slow,
      "cuts-off": (_request, response) => void response.destroy(),
      redirects: ({ headers }, response) =>
        void response.writeHead(302, { location: `http://${headers.host}/login` }).end(),
      "echoes-credentials": echoes(),
    },
  };
}

function failure(errorType: string, error: string): string {
  return JSON.stringify({ status: "error", errorType, error });
}

/** Its bytes are made once, so that a long one costs no time that a scrape would miss. */
function answer(code: number, body: string): Answer {
  const bytes = Buffer.from(body);
  return (_request, response) => {
    response.writeHead(code, { "content-type": "application/json" }).end(bytes);
  };
}

const vector = '{"status":"success","data":{"resultType":"vector","result":[';
const series = (labels: object) => JSON.stringify({ metric: labels, value: [Date.now() / 1000, "1"] });

/** 40 MB of one series. */
function fatLabels(): Answer {
  const label = "x".repeat(10_000_000);
  return answer(200, `${vector}${series({ a: label, b: label, c: label, d: label })}]}}`);
}

/** Series after series, for as long as they are read. */
const endless = streamed(function* () {
  const one = `${series({ text: "x".repeat(60_000) })},`;
  for (;;) yield one;
});

/** A byte now and then. */
const slow = streamed(async function* () {
  for (;;) {
    yield " ";
    await sleep(100);
  }
});

/** Until the client hangs up. */
function streamed(parts: () => Iterable<string> | AsyncIterable<string>): Answer {
  return async (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(vector);
    await pipeline(parts, response).catch(() => response.destroy());
  };
}

/** What the client sent, and who we are: as an error of the API, and as the page of a proxy. */
function echoes(): Answer {
  let count = 0;
  return ({ headers }, response) => {
    const texts = echoed(headers);
    const n = count++;
    const said = `upstream http://${headers.host}/ refused ${texts[(n >> 1) % texts.length]}`;
    if (n % 2 === 0)
      response.writeHead(400, { "content-type": "application/json" }).end(failure("bad_data", said));
    else response.writeHead(502, { "content-type": "text/html" }).end(`<h1>Bad Gateway</h1>${said}`);
  };
}

export interface Slots {
  /** Once one is free. @returns what frees it again */
  take(): Promise<() => void>;
  /** A query that runs for minutes, whoever waits for it. */
  keep(free: () => void): void;
  freeKept(): void;
}

/** --query.max-concurrency, as Prometheus has it by default. */
const slotCount = 20;
const keptMs = 120_000;

function createSlots(): Slots {
  let unused = slotCount;
  const waiting: (() => void)[] = [];
  let kept: (() => void)[] = [];
  const freeOnce = (): (() => void) => {
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const next = waiting.shift();
      if (next === undefined) unused++;
      else next();
    };
  };
  return {
    async take() {
      if (unused > 0) unused--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return freeOnce();
    },
    keep(free) {
      kept.push(free);
      setTimeout(free, keptMs).unref();
    },
    freeKept() {
      for (const free of kept) free();
      kept = [];
    },
  };
}
