// A fake Prometheus without a socket, whose queries time out on a clock that the test advances.
import type { Clock } from "@plimsoll/component-base";
import { createPrometheusClient, type FetchLike, type PrometheusClient } from "@plimsoll/prometheus";
import type { FakeHandler, FakePrometheus, SeenRequest } from "@plimsoll/prometheus/testing";

/** A raw reply of the handler, which has no response to write to, is none. */
export function inMemory(
  handler: FakeHandler,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): {
  readonly fake: Pick<FakePrometheus, "requests" | "handle" | "close">;
  readonly client: PrometheusClient;
} {
  const requests: SeenRequest[] = [];
  const closed = new AbortController();
  let current = handler;
  const fetch: FetchLike = async (text, { method, headers, body, signal }) => {
    const url = new URL(text);
    const parameters = new URLSearchParams([...url.searchParams, ...new URLSearchParams(body)]);
    const request = { method, path: url.pathname, parameters, headers };
    requests.push(request);
    const reply = await current(request);
    const ending = AbortSignal.any([signal, closed.signal]);
    ending.throwIfAborted();
    if (typeof reply === "function") {
      return await new Promise((_resolve, reject) => {
        ending.addEventListener("abort", () => reject(ending.reason as Error));
      });
    }
    return {
      status: reply.status ?? 200,
      headers: { get: (name) => reply.headers?.[name] ?? null },
      body: chunks(reply.body),
    };
  };
  const client = createPrometheusClient({ url: "http://prometheus", fetch, timeoutMs, clock });
  return {
    fake: {
      requests,
      handle: (next) => void (current = next),
      close: async () => closed.abort(new Error("it is closed")),
    },
    client,
  };
}

async function* chunks(body: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield body;
}
