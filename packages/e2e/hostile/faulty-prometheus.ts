import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PrometheusFault } from "./attack.ts";

/** Stands before a real Prometheus and spoils what it returns for queries of some metrics. */
export interface FaultyPrometheus {
  readonly url: string;
  /** All faults from now on. */
  spoil(faults: readonly (readonly [metric: string, fault: PrometheusFault])[]): void;
}

const longText = `query processing would load too many samples: ${"x".repeat(20_000_000)}`;

export async function startFaultyPrometheus(upstream: string): Promise<FaultyPrometheus> {
  let faults: readonly (readonly [metric: string, fault: PrometheusFault])[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://prometheus");
    const promql = `${searchParams.get("query") ?? ""}${new URLSearchParams(body).get("query") ?? ""}`;
    const fault = pathname.endsWith("/query")
      ? faults.find(([metric]) => promql.includes(metric))?.[1]
      : undefined;
    if (fault !== undefined) {
      answers[fault](response);
      return;
    }
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? "GET",
      headers: { "content-type": request.headers["content-type"] ?? "application/json" },
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  return {
    url: urlOf(server),
    spoil: (wanted) => {
      faults = wanted;
    },
  };
}

const empty = { resultType: "vector", result: [] };
/** Deeper than a recursive reader can go, and so is no value that could be written out. */
const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

const answers: Readonly<Record<PrometheusFault, (response: ServerResponse) => void>> = {
  hangs: () => {},
  timeout: answer(503, failure("timeout", "query timed out in expression evaluation")),
  "long-error": answer(422, failure("execution", longText)),
  "long-warning": answer(200, JSON.stringify({ status: "success", data: empty, warnings: [longText] })),
  "nested-type": answer(200, `{"status":"success","data":{"resultType":${nested},"result":[]}}`),
};

function failure(errorType: string, error: string): string {
  return JSON.stringify({ status: "error", errorType, error });
}

/** Its bytes are made once, so that a long one costs no time that a scrape would miss. */
function answer(code: number, body: string): (response: ServerResponse) => void {
  const bytes = Buffer.from(body);
  return (response) => {
    response.writeHead(code, { "content-type": "application/json" }).end(bytes);
  };
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
