// What a pod can send instead of a page of metrics.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { tenantPageSecret } from "./secrets.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

const type = { "content-type": "text/plain; version=0.0.4" };
const secret = `secret="${tenantPageSecret}"`;
const bomb = gzipSync(Buffer.alloc(100_000_000, "hostile_page 1\n"));
const megabyte = `hostile_page{${secret},text="${"x".repeat(1_000_000)}"} 1\n`;
const unwanted = Buffer.from("other_page 1\n".repeat(5000));
let count = 0;

export const pages = {
  /** An ordinary page. */
  page: () => text(`hostile_page{${secret}} ${count++}\n`),
  hangs: () => () => {},
  /** Series after series, for as long as they are read. */
  endless: () =>
    stream(type, function* () {
      for (;;) yield `hostile_page{n="${count++}"} 1\n`;
    }),
  trickle: () =>
    stream(type, async function* () {
      for (;;) {
        yield "h";
        await sleep(50);
      }
    }),
  gigabyte: () =>
    stream(type, function* () {
      for (let at = 0; at < 16_000; at++) yield unwanted;
    }),
  /** It was not asked for. */
  gzip: () => whole({ ...type, "content-encoding": "gzip" }, bomb),
  "gzip-unsaid": () => whole(type, bomb),
  "million-series": () =>
    stream(type, function* () {
      for (let n = 0; n < 1_000_000; n++) yield `hostile_page{n="${n}",${secret}} 1\n`;
    }),
  "million-labels": () =>
    stream(type, function* () {
      yield "hostile_page{";
      for (let n = 0; n < 1_000_000; n++) yield `l${n}="${tenantPageSecret}",`;
      yield "} 1\n";
    }),
  "long-line": () => whole(type, megabyte),
  /** In as many small parts as the protocol has. */
  "small-chunks": () => raw(`${head}transfer-encoding: chunked\r\n\r\n${smallChunks}`),
  /** Parts that are nothing but their own comment. */
  "chunk-extensions": () => raw(`${head}transfer-encoding: chunked\r\n\r\n1;${"x".repeat(1_000_000)}`),
  /** Other series each time, each with as many labels as one may have. */
  "new-series": () => {
    const round = count++;
    const labels = Array.from({ length: 30 }, (_, n) => `l${n}="${round}"`).join(",");
    return text(Array.from({ length: 700 }, (_, n) => `hostile_page{n="${n}",${labels}} 1\n`).join(""));
  },
  /** As long as a line may be, and other labels each time. */
  "fat-series": () => {
    const round = count++;
    const fat = (n: number) =>
      `hostile_page{round="${round}",n="${n}",text="${"x".repeat(60_000)}",${secret}} 1\n`;
    return text([0, 1, 2, 3].map(fat).join(""));
  },
  /** As many as a pod may have, the same each time. */
  "many-series": () =>
    text(Array.from({ length: 1000 }, (_, n) => `hostile_page{n="${n}"} ${Date.now() + n}\n`).join("")),
  "wrong-counters": () => {
    const values = ["5", "NaN", "1e308", "+Inf", "-Inf", "0", "-1e308", "1e-320"];
    return text(
      `hostile_page{${secret}} ${values[count++ % values.length]}\nhostile_page{n="1"} ${-count} 1\nhostile_page{n="2"} ${count} 99999999999999\n`,
    );
  },
  duplicates: () => text(`hostile_page 1\nhostile_page 2\nhostile_page{namespace="victim",pod="web-0"} 3\n`),
  unreadable: () => text(`hostile_page{${secret}} ${tenantPageSecret}\n${tenantPageSecret}{ 1\n`),
  /** To an address that no pod has. */
  redirects:
    () =>
    ({ socket }: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(302, { location: `http://127.0.0.1:${socket.localPort}/metrics` }).end(),
  closes: () => (_request: IncomingMessage, response: ServerResponse) => void response.destroy(),
  "closes-halfway": () => raw(`${head}content-length: 1000\r\n\r\nhostile_page 1\n`, true),
  "long-headers": () => raw(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(1_000_000)}`),
  "early-hints": () => raw("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(10_000)),
  "no-http": () => raw(`220 ${tenantPageSecret} SMTP\r\n`.repeat(1000)),
} satisfies Readonly<Record<string, () => Answer>>;

export type PageFault = keyof typeof pages;
export const pageFaults = Object.keys(pages) as readonly PageFault[];

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
const smallChunks = `hostile_page{text="${"x".repeat(60_000)}"} 1\n`
  .split("")
  .map((char) => `${Buffer.byteLength(char)}\r\n${char}\r\n`)
  .join("")
  .concat("0\r\n\r\n");

function text(body: string): Answer {
  return whole(type, Buffer.from(body));
}

function whole(headers: Readonly<Record<string, string>>, body: Buffer | string): Answer {
  return (_request, response) => void response.writeHead(200, headers).end(body);
}

/** Until the client hangs up. */
function stream(
  headers: Readonly<Record<string, string>>,
  parts: () => Iterable<string | Buffer> | AsyncIterable<string>,
): Answer {
  return async (_request, response) => {
    response.writeHead(200, headers);
    await pipeline(parts, response).catch(() => response.destroy());
  };
}

/** What no server of HTTP would send. */
function raw(bytes: string, closes = false): Answer {
  return ({ socket }) => {
    if (closes) socket.end(bytes);
    else socket.write(bytes);
  };
}
