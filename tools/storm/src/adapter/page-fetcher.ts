// The way of an adapter to the pages of pods: a request takes time, and may fail.
import type { createLive } from "@plimsoll/metrics-adapter/testing";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { PodPage } from "../prometheus/scraper.ts";
import type { World } from "../run/world.ts";

type PageFetcher = NonNullable<Parameters<typeof createLive>[1]["fetcher"]>;

type PagesWorld = Pick<World, "network" | "prometheus" | "record" | "time">;

export function createPageFetcher(world: PagesWorld, process: SimulatedProcess): PageFetcher {
  const { network, prometheus, record, time } = world;
  const { name, run } = process;
  return {
    fetch: ({ key, pod, path }, timeoutMs, sink) =>
      new Promise((resolve, reject) => {
        const sentAtMs = time.nowMs;
        let isOver = false;
        const settle = (page: PodPage | string): void => {
          if (isOver) return;
          isOver = true;
          cancel();
          const values = typeof page === "string" ? undefined : page;
          record({ kind: "scraped", process: name, run, pod, sentAtMs, endedAtMs: time.nowMs, values });
          if (typeof page === "string") {
            reject(new Error(page));
            return;
          }
          sink.start("text/plain");
          sink.push(Buffer.from(textOf(page)));
          resolve();
        };
        const cancel = process.clock.after(timeoutMs, () => settle(`gave no page within ${timeoutMs} ms`));
        const { fault, requestMs, responseMs } = network.passageOf(process, path);
        const later = (ms: number, page: PodPage | string): void =>
          void time.after(ms, () => process.deliver(() => settle(page)));
        if (fault?.type === "lost-before" || fault?.type === "lost-after") {
          if (fault.isReset === true) later(requestMs + responseMs, "closed the connection");
        } else if (fault?.type === "status")
          later(requestMs + responseMs, `answers with status ${fault.code}`);
        else
          time.after(requestMs, () => {
            const page = prometheus.readPage(key.slice(0, key.lastIndexOf(":")));
            if (page !== "silent") later(responseMs, page);
          });
      }),
    close: () => Promise.resolve(),
  };
}

function textOf(page: PodPage): string {
  return Object.entries(page)
    .map(
      ([name, value]) =>
        `# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n${name} ${value}\n`,
    )
    .join("");
}
