import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves whatever text the test says in Prometheus' format. */
export interface Exporter {
  readonly address: string;
  /** Scrapes so far. */
  scrapes(): number;
  show(text: (scrape: number) => string): void;
  close(): Promise<void>;
}

export async function startExporter(text: (scrape: number) => string): Promise<Exporter> {
  let current = text;
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
    response.end(current(scrapes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    scrapes: () => scrapes,
    show(next) {
      current = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
