// Carries out actions and disruptions on a running stack.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { gaugeRules } from "@plimsoll/testbed";
import type { Action } from "./churn.ts";
import type { Disruption } from "./disruptions.ts";
import { deploymentOf, deploymentsPath, loadsOf, manifestOf, pathOf, queueOf, specOf } from "./manifests.ts";
import type { Random } from "./random.ts";
import { periodMs, type SoakStack, takeoverMs } from "./stack.ts";
import type { Watcher } from "./watcher.ts";

/** @throws when the API server refuses it. */
export async function carryOut(
  action: Action,
  {
    stack,
    watcher,
    random,
  }: { readonly stack: SoakStack; readonly watcher: Watcher; readonly random: Random },
): Promise<void> {
  const { client, load } = stack;
  switch (action.type) {
    case "create":
      await client.request({
        method: "POST",
        path: pathOf(action.object.kind),
        body: manifestOf(action.object, random),
      });
      watcher.created(action.object);
      return;
    case "edit":
      await client.request({
        method: "PATCH",
        path: pathOf(action.object.kind, action.object.name),
        contentType: "application/merge-patch+json",
        body: { spec: specOf(action.object.kind, random) },
      });
      return;
    case "delete":
      // From now on nothing is expected of it; it may be decided on once more.
      watcher.deleted(action.object);
      await client.request({ method: "DELETE", path: pathOf(action.object.kind, action.object.name) });
      return;
    case "load":
      load.play(loadsOf(action.target, action.level));
      return;
    case "queue":
      load.play([queueOf(action.level)]);
      return;
    case "create-target":
      await client.request({ method: "POST", path: deploymentsPath, body: deploymentOf(action.target) });
      return;
    case "delete-target":
      await client.request({ method: "DELETE", path: `${deploymentsPath}/${action.target}` });
  }
}

const prometheusDownMs = 3000;
/** How long a clock that was set stays so. */
const steppedMs = 12_000;

/** @throws when a process does not come back. */
export async function disrupt(
  { kind, stepMs }: Disruption,
  { stack, watcher }: { readonly stack: SoakStack; readonly watcher: Watcher },
): Promise<void> {
  switch (kind) {
    case "kill-leader":
      return replaceLeader(stack, watcher, "SIGKILL");
    case "stop-leader":
      return replaceLeader(stack, watcher, "SIGTERM");
    case "restart-prometheus":
      return stack.restartPrometheus(prometheusDownMs);
    case "rotate-certificates":
      return stack.certificates.rotate(stack.processes().map(({ securePort }) => securePort));
    case "edit-rules":
      stack.writeRules(rulesWith(`unused_${Math.abs(stepMs)}`));
      return;
    case "step-autoscaler-clocks":
      return stepClocks(stack, watcher, { program: "autoscaler", stepMs });
    case "step-adapter-clock":
      return stepClocks(stack, watcher, { program: "adapter", stepMs });
  }
}

async function replaceLeader(stack: SoakStack, watcher: Watcher, how: "SIGTERM" | "SIGKILL"): Promise<void> {
  const leader = stack.leader();
  if (leader === undefined) throw new Error("no autoscaler has the lease");
  // The next leader evaluates every object within its first period.
  watcher.excuse(takeoverMs + periodMs);
  await stack.endAutoscaler(leader, how);
  await stack.startAutoscaler();
}

/** There and back, as a clock that was wrong is set. */
async function stepClocks(
  stack: SoakStack,
  watcher: Watcher,
  { program, stepMs }: { readonly program: string; readonly stepMs: number },
): Promise<void> {
  const stepped = stack.processes().filter(({ name }) => name.startsWith(program));
  // The next run of a cron job is at a time of the wall clock, which comes later by as much as it is set back.
  if (program === "autoscaler") watcher.excuseCrons(steppedMs + Math.abs(stepMs));
  for (const { inspector } of stepped) await inspector.setClockOffset(stepMs);
  await sleep(steppedMs);
  for (const { inspector } of stepped) await inspector.setClockOffset(0);
}

/** One more rule than before, of a series that does not exist. */
function rulesWith(name: string): string {
  const rule = [
    `  - seriesQuery: '${name}{namespace!=""}'`,
    "    resources: { overrides: { namespace: { resource: namespace } } }",
    "    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
  ];
  return readFileSync(gaugeRules, "utf8").replace("externalRules:\n", `${rule.join("\n")}\nexternalRules:\n`);
}
