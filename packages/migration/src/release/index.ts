// Plans how a cluster goes back to the built-in controller.
export type { Difference, ReleasedObject, ReleaseStep } from "./contents.ts";
export type { HpaAbilities } from "./hpa-of.ts";
export {
  type ApiService,
  type CronHpa,
  groupOf,
  type Installed,
  namespaceOf,
  type Program,
  type ServiceName,
  type Successor,
  scaleKey,
  type TargetScale,
} from "./installed.ts";
export { planOf } from "./plan.ts";
export { helmFor, kubectlFor } from "./shell.ts";
