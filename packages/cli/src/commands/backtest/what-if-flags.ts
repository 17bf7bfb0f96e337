// The flags of a counterfactual: other autoscalers, and what a recording does not say of itself.
import { problemText, readSources } from "@plimsoll/migration/manifests";
import { type Autoscaler, checkAutoscaler, readAutoscaler } from "@plimsoll/simulator";
import { Option } from "commander";
import { countFlag } from "../../cluster/flags.ts";
import { readInput } from "../../input/read-input.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import { type LoadFlags, type LoadSettings, loadOptions, readLoadFlags } from "./load-flags.ts";

/** As commander reads them. */
export interface WhatIfFlags extends LoadFlags {
  readonly whatIf?: readonly string[];
  readonly force?: boolean;
  readonly hotAbove?: string;
  readonly seed: string;
  readonly jobs?: string;
}

/** Another specification, and which target it is for. */
export interface WhatIfSpec {
  /** Its file, and its own name where the file has several. */
  readonly name: string;
  readonly target: string;
  readonly autoscaler: Autoscaler;
}

export interface CounterfactualRequest extends LoadSettings {
  readonly specs: readonly WhatIfSpec[];
  /** Also beyond the bar of the control run. */
  readonly isForced: boolean;
  readonly hotAbove: number | undefined;
  readonly seed: number;
  /** Runs at a time; absent: as many as there are processors. */
  readonly jobs?: number;
}

const maxSeed = 2 ** 32 - 1;

export function whatIfOptions(): readonly Option[] {
  return [
    new Option(
      "--what-if <FILE...>",
      "manifests to try: shows what each would have done under the recorded load",
    ),
    new Option("--force", "show them even if the simulation doesn't match the recorded autoscaler"),
    ...loadOptions(),
    new Option(
      "--hot-above <VALUE>",
      "load above which a Ready pod is hot, in the unit of the metric (default: the highest recorded)",
    ),
    new Option("--seed <N>", "seed of the noise").default("1"),
    new Option("--jobs <N>", "runs in parallel (default: one per processor)"),
  ].map((option) => option.helpGroup("Another specification, out of a recording:"));
}

/** Undefined without --what-if. @throws CliError */
export async function readCounterfactual(
  flags: WhatIfFlags,
  seams: Pick<CliSeams, "readText">,
): Promise<CounterfactualRequest | undefined> {
  const { whatIf: files, hotAbove } = flags;
  if (files === undefined) return undefined;
  const specs: WhatIfSpec[] = [];
  for (const file of files) specs.push(...(await specsOf(file, seams)));
  const limit = Number(hotAbove ?? 1);
  if (!(limit > 0 && Number.isFinite(limit)))
    throw new CliError(`--hot-above ${hotAbove} is not a number above 0: use a value such as 80`);
  return {
    specs,
    isForced: flags.force === true,
    ...readLoadFlags(flags),
    hotAbove: hotAbove === undefined ? undefined : limit,
    seed: countFlag("--seed", flags.seed, { min: 0, max: maxSeed }),
    ...(flags.jobs === undefined ? {} : { jobs: countFlag("--jobs", flags.jobs, { min: 1, max: 256 }) }),
  };
}

const kinds = new Set(["HorizontalPodAutoscaler", "WorkloadAutoscaler"]);

async function specsOf(file: string, seams: Pick<CliSeams, "readText">): Promise<readonly WhatIfSpec[]> {
  const { objects, problems } = readSources(await readInput(file, seams), file);
  const [problem] = problems;
  if (problem !== undefined) throw new CliError(problemText(problem));
  const found = objects.filter(({ kind }) => kinds.has(kind));
  if (found.length === 0)
    throw new CliError(`--what-if ${file} has no HorizontalPodAutoscaler and no WorkloadAutoscaler`);
  return found.map(({ value, locate }) => {
    const [refused] = checkAutoscaler(value).map(locate);
    if (refused !== undefined) throw new CliError(`--what-if ${problemText(refused)}`);
    const read = readAutoscaler(value);
    if (!read.ok) throw new CliError(`--what-if ${file}: ${read.message}`);
    const { hpa } = read.autoscaler;
    const base = file.split("/").at(-1) ?? file;
    const name = found.length === 1 ? base : `${base}#${hpa.metadata?.name ?? ""}`;
    return { name, target: read.target.name, autoscaler: read.autoscaler };
  });
}
