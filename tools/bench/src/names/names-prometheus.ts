// A Prometheus with very many metric names, and one more that is another at each relist.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { serveParent } from "@plimsoll/testbed";

export interface NamesSetup {
  readonly names: readonly string[];
  /** Of the only object with values. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface NamesAddress {
  readonly url: string;
  readonly relists: number;
  readonly queries: number;
}

let listening: Promise<string> | undefined;
let relists = 0;
let queries = 0;

async function listen({ names, labels }: NamesSetup): Promise<string> {
  const listed = (path: string, selector: string): unknown => {
    // A probe, by which an adapter sees that lists follow selectors.
    if (!selector.startsWith("{")) return [];
    relists += 1;
    const all = [...names, `metric_of_relist_${relists}`];
    return path === "/api/v1/series" ? all.map((name) => ({ __name__: name, ...labels })) : all;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
    const body = new URLSearchParams(await text(request));
    const selector = searchParams.get("match[]") ?? body.get("match[]") ?? "";
    const isQuery = pathname === "/api/v1/query";
    if (isQuery) queries += 1;
    const sample = { metric: labels, value: [Date.now() / 1000, "12.345"] };
    const data = isQuery ? { resultType: "vector", result: [sample] } : listed(pathname, selector);
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ status: "success", data }));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serveParent(async (setup: NamesSetup): Promise<NamesAddress> => {
  listening ??= listen(setup);
  return { url: await listening, relists, queries };
});
