// What Prometheus scrapes for the measurement of discovered series: two metrics with so many series each.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@plimsoll/testbed";

const podsPerNamespace = 300;

function lines(metric: string, count: number): string {
  const series = Array.from({ length: count }, (_, i) => {
    const labels = `namespace="team-${Math.floor(i / podsPerNamespace)}",pod="app-5d9c7b8f6d-x${i}",job="apps"`;
    return `${metric}{${labels}} ${i % 50}\n`;
  });
  return `# TYPE ${metric} gauge\n${series.join("")}`;
}

serveParent(async ({ few, many }: { readonly few: number; readonly many: number }) => {
  const page = Buffer.from(lines("few_series", few) + lines("many_series", many));
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { target: `127.0.0.1:${(server.address() as AddressInfo).port}` };
});
