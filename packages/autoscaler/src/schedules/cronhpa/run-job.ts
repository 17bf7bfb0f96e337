// Scales the target of a cron job, with retries.
import { type Clock, sleep } from "@plimsoll/component-base";
import type { CompiledCronHpaJob, CronHpaBoundsPolicy } from "@plimsoll/core/cronhpa";
import { type CronHpa, hpaKind } from "./cron-hpa.ts";
import { scaleHpa } from "./scale-hpa.ts";
import { type Attempt, type ScaleDeps, scaleWorkload } from "./scale-workload.ts";

const attempts = 4;
const pauseMs = 3000;

/** Scales as a job says; what fails is retried three times, every three seconds. */
export async function runJob(
  request: {
    readonly object: CronHpa;
    readonly job: CompiledCronHpaJob;
    readonly bounds: CronHpaBoundsPolicy;
  },
  deps: ScaleDeps & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { kind, name, apiVersion } = request.object.spec.scaleTargetRef;
  const namespace = request.object.metadata.namespace ?? "default";
  const { targetSize: size } = request.job;
  for (let attempt = 1; ; attempt++) {
    const done =
      kind === hpaKind
        ? await scaleHpa({ namespace, name }, { size, bounds: request.bounds }, deps)
        : await scaleWorkload({ apiVersion, kind, namespace, name }, size, deps);
    if (done.result !== "failed") return done;
    if (attempt === attempts) {
      const message = `failed to scale ${kind} ${name} in ${namespace} namespace to ${size} after retrying ${attempts} times and exit,because of ${done.message}`;
      return { result: "failed", message };
    }
    await sleep(deps.clock, pauseMs, deps.signal);
    if (deps.signal.aborted || !deps.mayWrite()) return { result: "fenced" };
  }
}
