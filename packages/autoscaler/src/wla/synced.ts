import type { RestMapper } from "@plimsoll/kube";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Watch } from "../watch.ts";
import { wlaResource } from "./workload-autoscaler.ts";

/** Where the kind is not installed there is nothing to wait for; it may come later. */
export async function wlasSynced(wlas: Watch<NativeHpa>, mapper: RestMapper): Promise<void> {
  const kinds = await mapper.byKind(wlaResource.group, "WorkloadAutoscaler").catch(() => []);
  if (kinds.length > 0) await wlas.synced();
}
