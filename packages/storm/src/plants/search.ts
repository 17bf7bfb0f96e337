// Runs one seed after the other until an invariant is violated: search.ts MINUTES SEED FILE, where the report goes.
import { writeFile } from "node:fs/promises";
import { drawSetup, parts } from "../run/real-parts.ts";
import { runScenario } from "../run/run.ts";
import { drawScenario } from "../scenario/draw.ts";
import { shrinkScenario } from "../shrink/shrink-scenario.ts";
import type { SearchReport } from "./report.ts";

const hourMs = 3_600_000;
const maxShrinkSeconds = 90;

/** Other processes may have the core meanwhile. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function search(minutes: number, firstSeed: number): Promise<SearchReport> {
  let hours = 0;
  for (let seed = firstSeed; ; seed += 1) {
    const scenario = drawScenario(seed, { faults: parts.faults, drawSetup });
    const { violation, simulatedMs } = await runScenario(scenario, parts);
    hours += simulatedMs / hourMs;
    const seconds = cpuSeconds();
    const common = { seconds, hours, runs: seed - firstSeed + 1 };
    if (violation !== undefined) {
      const shrunk = await shrinkScenario(
        { scenario, violation },
        {
          run: async (candidate) => (await runScenario(candidate, parts)).violation,
          isOver: () => cpuSeconds() - seconds > maxShrinkSeconds,
        },
      );
      const eventsBefore = scenario.events.length;
      return { ...common, found: { ...violation, seed, eventsBefore, scenario: shrunk.scenario } };
    }
    if (seconds >= minutes * 60) return common;
  }
}

const [minutes = "", seed = "", file = ""] = process.argv.slice(2);
await writeFile(file, JSON.stringify(await search(Number(minutes), Number(seed))));
