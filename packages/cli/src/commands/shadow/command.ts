// The command `plimsoll shadow`.
import { sleep } from "@plimsoll/component-base";
import { formatInstant } from "@plimsoll/core";
import type { Command } from "commander";
import { type Cluster, withCluster } from "../../cluster/cluster.ts";
import { type ClusterFlags, checkScope, clusterCommand, tableOutputs } from "../../cluster/flags.ts";
import { endpointFor } from "../../decisions/open.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { findObject } from "../../objects/find.ts";
import { hpas, type ScalingObject } from "../../objects/scaling-object.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import { exitCodeOf, type Shadowed, shadowDocument, totalOf } from "./agreement.ts";
import { differenceText } from "./difference.ts";
import { shadowLines } from "./table.ts";

export interface ShadowFlags extends ClusterFlags {
  readonly minAgreement?: string;
  readonly watch?: boolean;
}

const watchIntervalMs = 5_000;

/** plimsoll shadow [OBJECT] */
export function shadowCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "shadow",
    description:
      "Compares the decisions of an autoscaler in shadow with the managing controller's decisions.",
    outputs: tableOutputs,
    jq: ".items[] | select(.differed > 0) | .name",
  })
    .argument("[OBJECT]", "NAME, hpa/NAME, deploy|sts|rs|rollout/NAME or so/NAME; default: all")
    .option("--min-agreement <PERCENT>", "exit with 2 when fewer of the compared decisions agree")
    .option("-w, --watch", "print every 5 s")
    .action(async (object: string | undefined, flags: ShadowFlags) => {
      done(await compare(object, flags, seams));
    });
}

async function compare(text: string | undefined, flags: ShadowFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags);
  const minPercent = flags.minAgreement === undefined ? undefined : percentFlag(flags.minAgreement);
  return withCluster(flags, seams, async (cluster) => {
    const object = text === undefined ? undefined : await findObject(cluster, text);
    if (object !== undefined && object.identity.resource !== hpas.resource)
      throw new CliError(`"${object.identity.name}" is a ${object.kind}: no other controller manages it`);
    const opened = await endpointFor({ cluster, flags, seams });
    if (!opened.ok)
      throw new CliError(`no decisions endpoint (${opened.reason}); only an autoscaler in shadow compares`);
    const once = async (): Promise<ExitCode> => {
      const shown = await shadowed(opened.endpoint, object, cluster);
      await print(shown, { object, endpoint: opened.endpoint, cluster, flags, seams });
      return exitCodeOf(shown, minPercent);
    };
    let code = await once();
    while (flags.watch === true && !seams.signal.aborted) {
      await sleep(clockOf(seams), watchIntervalMs, seams.signal);
      if (!seams.signal.aborted) code = await once();
    }
    return code;
  });
}

/** Those of one object, or of the namespace, or all. */
async function shadowed(
  endpoint: Endpoint,
  object: ScalingObject | undefined,
  { scope }: Cluster,
): Promise<Shadowed> {
  const all = await endpoint.shadow();
  const items = all.filter(({ namespace, name }) =>
    object === undefined
      ? scope === undefined || namespace === scope
      : namespace === object.identity.namespace && name === object.identity.name,
  );
  return { items, total: totalOf(items) };
}

interface Print {
  readonly object: ScalingObject | undefined;
  readonly endpoint: Endpoint;
  readonly cluster: Cluster;
  readonly flags: ShadowFlags;
  readonly seams: CliSeams;
}

async function print(shown: Shadowed, { object, endpoint, cluster, flags, seams }: Print): Promise<void> {
  const style = styleOf(seams, flags.color);
  const nowMs = seams.nowMs();
  if (isDocumentFormat(flags.output)) {
    seams.writeOut(documentText(shadowDocument(shown, formatInstant(nowMs), cluster.notes), flags.output));
    return;
  }
  if (flags.output === "name") {
    const names = shown.items.map(({ name }) => `horizontalpodautoscaler.autoscaling/${style.text(name)}\n`);
    seams.writeOut(names.join(""));
    return;
  }
  if (shown.items.length === 0) {
    seams.writeError(`${await nothingText(endpoint, cluster)}\n`);
    return;
  }
  const options = { style, hasHeadings: flags.headers, nowMs };
  const lines = shadowLines(shown, options);
  seams.writeOut(`${lines.join("\n")}\n`);
  const [item] = shown.items;
  if (object !== undefined && item !== undefined)
    seams.writeOut(`\n${await differenceText(object, item, { ...options, endpoint })}`);
}

/** Why there is nothing: what the autoscaler manages itself is compared with no other controller. */
async function nothingText(endpoint: Endpoint, { scope }: Cluster): Promise<string> {
  const rows = await endpoint.rows({ namespace: scope });
  const isManaged = rows.length > 0 && rows.every(({ mode }) => mode === "active");
  if (!isManaged) return "nothing compared yet: wait for two periods";
  return `nothing to compare: the autoscaler manages ${rows.length === 1 ? "the only object" : `all ${rows.length} objects`} itself`;
}

/** @throws CliError */
function percentFlag(value: string): number {
  const percent = value.trim() === "" ? Number.NaN : Number(value);
  if (percent >= 0 && percent <= 100) return percent;
  throw new CliError(`--min-agreement ${value} is not a percentage from 0 to 100: use a value such as 99.9`);
}
