// Serves the expositions of the recipe book on loopback, as if their sources had been running for minutes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Between samples of a series. */
const stepMs = 10_000;
/** More than the longest range of a recipe. */
const historyMs = 150_000;
/** In which a counter grows by its value in the exposition. */
const growthMs = 100_000;

export interface Exporters {
  /** host:port. Each source has its own path. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Each scrape gets the samples of the last minutes with their timestamps, so one scrape is enough for a rate. A counter
 * adds its value every 100 seconds; a gauge stays.
 */
export async function serveExpositions(expositions: ReadonlyMap<string, string>): Promise<Exporters> {
  const startMs = Math.floor(Date.now() / stepMs) * stepMs - historyMs;
  const server = createServer(({ url = "" }, response) => {
    const text = expositions.get(url.slice(1));
    // Of the format that may have names in quotes.
    response.setHeader("content-type", "text/plain; version=1.0.0; escaping=allow-utf-8");
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text === undefined ? "" : withHistory(text, startMs));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function withHistory(text: string, startMs: number): string {
  let isCounter = false;
  const lines = text.split("\n").flatMap((line) => {
    if (line.startsWith("#")) {
      const type = /^# TYPE .+ (\w+)$/.exec(line)?.[1];
      if (type !== undefined) isCounter = type !== "gauge";
      return [line];
    }
    const space = line.lastIndexOf(" ");
    const [series, value] = [line.slice(0, space), Number(line.slice(space + 1))];
    return space < 0 ? [] : samplesOf(series, value, isCounter, startMs);
  });
  return `${lines.join("\n")}\n`;
}

function samplesOf(series: string, value: number, isCounter: boolean, startMs: number): readonly string[] {
  const samples = [];
  for (let atMs = startMs; atMs <= Date.now(); atMs += stepMs) {
    const grown = isCounter ? (value * (atMs - startMs)) / growthMs : 0;
    samples.push(`${series} ${value + grown} ${atMs}`);
  }
  return samples;
}
