// Samples CPU and metrics of the process under test.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The process and its API at one moment. */
export interface Sample {
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  readonly metrics: ReadonlyMap<string, number>;
  readonly scrapeBytes: number;
  readonly requests: Readonly<Record<string, number>>;
}

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** User and system time of a process, all threads. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export async function scrape(
  pid: number,
  port: number,
): Promise<Pick<Sample, "rssMiB" | "metrics" | "scrapeBytes">> {
  const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { rssMiB, metrics: parse(text), scrapeBytes: text.length };
}

function parse(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const space = line.lastIndexOf(" ");
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
  );
}
