// What a server of a test has scraped before, with exact instants.
import type { Labels } from "../sample.ts";
import type { WrittenSeries } from "../server/remote-write.ts";

/** Samples as regular scrapes would have brought them. */
export interface History {
  /** The lines of one scrape, without timestamps; `scrape` counts from 0. */
  readonly page: (scrape: number) => string;
  readonly fromMs: number;
  /** May lie ahead by minutes, so that "now" is within for as long as a test takes. */
  readonly toMs: number;
  readonly stepMs?: number;
}

/** What these scrapes leave in a server. */
export function scraped({ page, fromMs, toMs, stepMs = 1000 }: History): readonly WrittenSeries[] {
  const found = new Map<string, [atMs: number, value: number][]>();
  for (let [scrape, atMs] = [0, fromMs]; atMs <= toMs; scrape += 1, atMs += stepMs) {
    for (const line of page(scrape).split("\n").filter(Boolean)) {
      const space = line.lastIndexOf(" ");
      const series = line.slice(0, space);
      const samples = found.get(series) ?? [];
      found.set(series, samples);
      samples.push([atMs, Number(line.slice(space + 1).replace("Inf", "Infinity"))]);
    }
  }
  return [...found].map(([series, samples]) => ({ labels: labelsOf(series), samples }));
}

function labelsOf(series: string): Labels {
  const [, name = "", body = ""] = /^(\w*)(?:\{(.*)\})?$/.exec(series) ?? [];
  // In quotes a name may stand among the labels, and a label may have any text.
  const labels = [...body.matchAll(/(?:(\w+)|"([^"]*)")(?:="([^"]*)")?/g)].map(
    ([, plain, quoted = "", value]) =>
      value === undefined ? ["__name__", quoted] : [plain ?? quoted, value],
  );
  // An empty label is none.
  return Object.fromEntries([["__name__", name], ...labels].filter(([, value]) => value !== ""));
}
