import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll } from "vitest";

/** A real Prometheus for the tests of a file, with a minute of samples and more to come; call it at the top of the file. */
export function usePrometheus(lines: (scrape: number) => readonly string[]): { readonly url: string } {
  let prometheus: RealPrometheus | undefined;
  beforeAll(async () => {
    const nowMs = Date.now();
    prometheus = await startPrometheusWith(
      {
        page: (scrape) => `${lines(scrape).join("\n")}\n`,
        fromMs: nowMs - 60_000,
        toMs: nowMs + 600_000,
      },
      { binary: process.env["PROMETHEUS"] ?? "prometheus" },
    );
  });
  afterAll(() => prometheus?.stop());
  return {
    get url() {
      if (prometheus === undefined) throw new Error("Prometheus has not started");
      return prometheus.url;
    },
  };
}
