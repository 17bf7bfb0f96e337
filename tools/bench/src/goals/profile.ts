// What a CPU profile of the main thread says is the next cost: the functions with the greatest time of their own.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shownFunctions = 12;

/** Shares of the time in which the thread was not idle, greatest first, of all profiles in a folder. */
export function summarizeProfiles(folder: string): readonly string[] {
  const micros = new Map<string, number>();
  for (const file of globSync(join(folder, "*.cpuprofile")))
    add(micros, JSON.parse(readFileSync(file, "utf8")) as Profile);
  micros.delete("(idle)");
  const total = [...micros.values()].reduce((sum, one) => sum + one, 0);
  return [...micros]
    .sort(([, one], [, other]) => other - one)
    .slice(0, shownFunctions)
    .map(([name, own]) => `${((own / total) * 100).toFixed(1)} % ${name}`);
}

function add(micros: Map<string, number>, { nodes, samples, timeDeltas }: Profile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName || "(anonymous)"]));
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "(unknown)";
    micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
}
