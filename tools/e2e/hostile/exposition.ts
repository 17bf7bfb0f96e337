import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

/** What Prometheus scrapes: the victim's series, and under /tenant those of the hostile tenant. */
export interface Exposition {
  readonly target: string;
  set(series: readonly Series[]): void;
}

/** `constant`: with timestamps, so that they outlast a scrape that a busy machine misses. */
export async function startExposition(constant: readonly Series[]): Promise<Exposition> {
  let text = "";
  const server = createServer(({ url }, response) => {
    response
      .writeHead(200, { "content-type": "text/plain; version=0.0.4" })
      .end(url === "/tenant" ? text : format(constant, ` ${Date.now()}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (series) => {
      text = format(series);
    },
  };
}

/** Prometheus wants the series of one metric together. */
function format(series: readonly Series[], timestamp = ""): string {
  return series
    .toSorted((a, b) => (a.metric < b.metric ? -1 : Number(a.metric > b.metric)))
    .map(({ metric, labels, value }) => {
      const written = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
      return `${metric}{${written.join(",")}} ${value}${timestamp}\n`;
    })
    .join("");
}
