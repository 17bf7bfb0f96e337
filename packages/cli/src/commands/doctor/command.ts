// The command `plimsoll doctor`.
import { printable } from "@plimsoll/component-base/text";
import {
  type Diagnosis,
  diagnose,
  type Evidence,
  type Rule,
  type Severity,
  severities,
} from "@plimsoll/doctor";
import { type Command, Option } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { prometheusHeaderOption } from "../../cluster/connect.ts";
import {
  type ClusterFlags,
  checkScope,
  clusterCommand,
  repeated,
  tableOutputs,
} from "../../cluster/flags.ts";
import { sourcesConfigOption } from "../../cluster/sources.ts";
import { openDecisions } from "../../decisions/open.ts";
import { styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import { chooseRules } from "./choose-rules.ts";
import { gatherEvidence, withLimit } from "./gather/gather.ts";
import { createLists } from "./gather/lists.ts";
import { type PrometheusPlace, readAdapterRules } from "./gather/prometheus.ts";
import { manifestEvidence } from "./manifests.ts";
import { objectsToCheck } from "./objects.ts";
import { diagnosisText } from "./report/diagnosis.ts";
import type { Examined } from "./report/document.ts";
import { rulesText } from "./report/rules.ts";

interface DoctorFlags extends ClusterFlags, PrometheusPlace {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly failOn: Severity;
  readonly filename?: readonly string[];
  readonly list?: boolean;
}

/** plimsoll doctor … */
export function doctorCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "doctor",
    description:
      "Finds mistakes in HorizontalPodAutoscalers and WorkloadAutoscalers, with evidence and a fix. Writes nothing to the cluster. Exits with 2 when a finding is at --fail-on or above.",
    outputs: tableOutputs,
    jq: ".findings[] | {id, severity, title}",
  })
    .argument("[OBJECT...]", "objects to examine (default: all in the namespace)")
    .option("--only <RULES>", "only these rules, such as PL-007,PL-030; repeatable", repeated)
    .option("--skip <RULES>", "all but these rules; repeatable", repeated)
    .addOption(
      new Option("--fail-on <SEVERITY>", "lowest severity that exits with 2")
        .choices([...severities].toReversed())
        .default("error"),
    )
    .option("-f, --filename <FILES...>", "examine manifests instead of a cluster")
    .option("--prometheus <URL>", "also examine the adapter's rules in this Prometheus")
    .option("--prometheus-token-file <FILE>", "file with a bearer token for Prometheus")
    .option("--prometheus-ca-file <FILE>", "CA bundle for the certificate of Prometheus")
    .addOption(prometheusHeaderOption())
    .addOption(sourcesConfigOption())
    .option("--list", "list the rules")
    .action(async (objects: readonly string[], flags: DoctorFlags) => {
      done(await run(objects, flags, seams));
    });
}

async function run(names: readonly string[], flags: DoctorFlags, seams: CliSeams): Promise<ExitCode> {
  const rules = chooseRules(flags.only, flags.skip);
  const style = styleOf(seams, flags.color);
  if (flags.list === true) {
    seams.writeOut(rulesText(rules, { format: flags.output, style, hasHeadings: flags.headers }));
    return 0;
  }
  if (flags.filename !== undefined)
    return await runOnManifests(flags.filename, names, { flags, rules, seams });
  checkScope(flags);
  return await withCluster(flags, seams, async (opened) => {
    const cluster = withLimit(opened);
    const lists = createLists(cluster, cluster.scope);
    const { objects, errors } = await objectsToCheck(cluster, lists, names);
    const { prometheusTokenFile, prometheusCaFile, prometheusHeader } = flags;
    if (
      flags.prometheus === undefined &&
      (prometheusTokenFile ?? prometheusCaFile ?? prometheusHeader) !== undefined
    )
      throw new CliError(
        "--prometheus-token-file, --prometheus-ca-file and --prometheus-header need --prometheus",
      );
    const adapterRules = await readAdapterRules(cluster, flags, seams);
    const { recorded } = await openDecisions(cluster, flags, { seams, overrides: {} });
    const [clock, nowMs] = [clockOf(seams), seams.nowMs()];
    const request = { cluster, lists, objects, rules, nowMs, clock, adapterRules, recorded };
    const evidence = await gatherEvidence(request);
    return report({ evidence, rules, errors, notes: cluster.notes }, flags, seams);
  });
}

async function runOnManifests(
  files: readonly string[],
  names: readonly string[],
  context: { readonly flags: DoctorFlags; readonly rules: readonly Rule[]; readonly seams: CliSeams },
): Promise<ExitCode> {
  const { flags, rules, seams } = context;
  if (names.length > 0 || flags.allNamespaces === true)
    throw new CliError("-f examines the objects in files and can't be combined with names or -A");
  const { evidence, problems, notes } = await manifestEvidence(files, flags.namespace ?? "default", seams);
  if (evidence.objects.length === 0 && problems.length === 0)
    throw new CliError(`no HorizontalPodAutoscaler or WorkloadAutoscaler in ${files.join(", ")}`);
  const errors = problems.map((message) => ({ object: "", message }));
  const able = rules.filter(({ isForManifests }) => isForManifests);
  const left = rules.length - able.length;
  const all = left === 0 ? notes : [...notes, `${left} rules need a cluster and were not checked`];
  for (const note of all) seams.writeError(`note: ${printable(note)}\n`);
  return report({ evidence, rules: able, errors, notes: all }, flags, seams);
}

interface Checked extends Pick<Examined, "errors" | "notes"> {
  readonly evidence: Evidence;
  readonly rules: readonly Rule[];
}

function report({ evidence, rules, errors, notes }: Checked, flags: DoctorFlags, seams: CliSeams): ExitCode {
  const diagnosis = diagnose(evidence, rules);
  const at = new Date(evidence.nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const examined = { diagnosis, at, errors, notes };
  seams.writeOut(diagnosisText(examined, { format: flags.output, style: styleOf(seams, flags.color) }));
  for (const { object, message } of errors)
    seams.writeError(`error: ${printable(object === "" ? message : `${object}: ${message}`)}\n`);
  if (errors.length > 0) return 1;
  return isFailure(diagnosis, flags.failOn) ? 2 : 0;
}

function isFailure({ findings }: Diagnosis, failOn: Severity): boolean {
  const least = severities.indexOf(failOn);
  return findings.some(({ severity }) => severities.indexOf(severity) >= least);
}
