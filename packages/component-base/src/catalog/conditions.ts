// PLM5000 to PLM5999: why one of our own objects is not ready or not active. The messages are reasons of conditions,
// which docs/events.md and docs/metric-rules.md explain.
import type { CatalogEntry } from "./entry.ts";

export const conditionEntries: readonly CatalogEntry[] = [
  { code: "PLM5001", message: "InvalidSpec" },
  { code: "PLM5002", message: "InvalidSchedule" },
  { code: "PLM5003", message: "TargetNotFound" },
  { code: "PLM5004", message: "FailedUpdate" },
  { code: "PLM5005", message: "Conflict" },
  { code: "PLM5006", message: "ForeignWriter" },
  { code: "PLM5007", message: "SharedTarget" },
  { code: "PLM5101", message: "NamespaceMatcher" },
  { code: "PLM5102", message: "Unparsable" },
  { code: "PLM5103", message: "Unsupported" },
  { code: "PLM5104", message: "TooCostly" },
  { code: "PLM5105", message: "LimitExceeded" },
  { code: "PLM5106", message: "UnknownSource" },
  { code: "PLM5107", message: "SourceNotForNamespace" },
  { code: "PLM5108", message: "UnknownResource" },
  { code: "PLM5109", message: "ResourceNotNamespaced" },
  { code: "PLM5110", message: "NameTaken" },
  { code: "PLM5120", message: "NoSeries" },
  { code: "PLM5121", message: "NoObjectLabel" },
  { code: "PLM5122", message: "NoValue" },
  { code: "PLM5123", message: "QueryFailed" },
  { code: "PLM5124", message: "NotServed" },
  { code: "PLM5125", message: "NotRead" },
];
