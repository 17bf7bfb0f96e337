// What the real Prometheus scrapes: the fleet's requests as counters, its queues as gauges.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@plimsoll/testbed";
import { seriesOf } from "./fleet.ts";

const metrics = ["http_requests_total", "queue_depth"].map((name) => ({
  name,
  type: name.endsWith("_total") ? "counter" : "gauge",
  lines: seriesOf(name).map((labels) => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return `${name}{${pairs.join(",")}} `;
  }),
}));
const startedMs = Date.now();

function page(): string {
  const seconds = (Date.now() - startedMs) / 1000;
  return metrics
    .map(({ name, type, lines }) => {
      const values = lines.map((line, i) => {
        const value = type === "counter" ? Math.round(seconds * (1 + (i % 50))) : i % 50;
        return `${line}${value}\n`;
      });
      return `# TYPE ${name} ${type}\n${values.join("")}`;
    })
    .join("");
}

const server = createServer((_request, response) => {
  response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4" }).end(page());
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
serveParent(() => ({ target }));
