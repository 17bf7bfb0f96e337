// The files of rules and of sources, which are checked against each other and followed together.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { ReadText } from "@plimsoll/kube/serving";
import {
  type CompiledRules,
  checkSources,
  formatProblem,
  type PromqlSyntax,
  type UsableSource,
} from "@plimsoll/rules";
import type { Engine } from "../backends/prometheus/engine.ts";
import type { Source } from "../backends/prometheus/source.ts";
import type { AdapterOptions } from "../options/compile.ts";
import { createRulesFile, type RulesFile } from "./rules-file.ts";
import { createSourcesFile, type SourcesFile } from "./sources-file.ts";

export interface ConfigFiles {
  readonly rulesFile: RulesFile;
  readonly sourcesFile: SourcesFile;
}

export interface ConfigFilesSeams {
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly log: Logger;
  readonly syntax?: PromqlSyntax;
  /** The source of the flags. */
  readonly connectDefault: () => Promise<Source>;
}

const pollIntervalMs = 2_000;

export function createConfigFiles(
  {
    configFile,
    sourcesFile: path,
    resultMaxAgeMs,
  }: Pick<AdapterOptions, "configFile" | "sourcesFile" | "resultMaxAgeMs">,
  seams: ConfigFilesSeams,
): ConfigFiles {
  const followed = { ...seams, pollIntervalMs };
  const rulesFile = createRulesFile({
    ...followed,
    path: configFile,
    check: (rules) => checkSources(rules, sourcesFile.usable()),
  });
  const sourcesFile = createSourcesFile({
    ...followed,
    path,
    resultMaxAgeMs,
    checkRules: (sources) => problemsOfRules(configFile, rulesFile, sources),
  });
  return { rulesFile, sourcesFile };
}

/** Where the rules in force cannot do with the sources, those of the file may: both files have changed then. */
function problemsOfRules(
  path: string,
  rulesFile: RulesFile,
  sources: readonly UsableSource[],
): readonly string[] {
  const problemsOf = (rules: CompiledRules | undefined) =>
    rules === undefined ? undefined : checkSources(rules, sources);
  if (problemsOf(rulesFile.pending())?.length === 0) return [];
  return (problemsOf(rulesFile.current()) ?? []).map((problem) => formatProblem(path, problem));
}

/** What of one was refused for the other is tried once more when the other has changed. */
export function followFiles(
  { rulesFile, sourcesFile }: Partial<ConfigFiles>,
  engine: Pick<Engine, "useRules" | "useSources">,
  onReload: (what: "rules" | "sources", outcome: "success" | "failure") => void,
): void {
  rulesFile?.watch({
    use(rules) {
      const used = engine.useRules(rules);
      sourcesFile?.retry();
      return used;
    },
    onReload(outcome) {
      onReload("rules", outcome);
      sourcesFile?.retry();
    },
  });
  sourcesFile?.watch({
    use(sources) {
      engine.useSources(sources);
      rulesFile?.retry();
    },
    onReload: (outcome) => onReload("sources", outcome),
  });
}
