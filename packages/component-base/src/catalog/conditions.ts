// PLM5000 to PLM5999: why one of our own objects is not ready or not active. The messages are reasons of conditions.
import type { CatalogEntry } from "./entry.ts";

export const conditionEntries: readonly CatalogEntry[] = [
  {
    code: "PLM5001",
    message: "InvalidSpec",
    meaning: "The object cannot be evaluated as it is; nothing is scaled or moved.",
    remedy: "the message names the field, the value and what it has to be",
  },
  {
    code: "PLM5002",
    message: "InvalidSchedule",
    meaning: "An entry of `spec.schedules` cannot be used; the other entries count.",
    remedy: "see [schedule not followed](troubleshooting.md#schedule-not-followed)",
  },
  {
    code: "PLM5003",
    message: "TargetNotFound",
    meaning: "The HorizontalPodAutoscaler whose bounds the object moves does not exist.",
    remedy: "correct `spec.scaleTargetRef`",
  },
  {
    code: "PLM5004",
    message: "FailedUpdate",
    meaning: "The bounds of the HorizontalPodAutoscaler could not be written.",
    remedy: "the message has the API server's response",
  },
  {
    code: "PLM5005",
    message: "Conflict",
    meaning: "Another client owns the bounds of the HorizontalPodAutoscaler.",
    remedy: "see [schedule not followed](troubleshooting.md#schedule-not-followed)",
  },
  {
    code: "PLM5006",
    message: "ForeignWriter",
    meaning: "Another client writes the target or the status; the object is evaluated in shadow.",
    remedy: "see [foreign writer](troubleshooting.md#foreign-writer)",
  },
  {
    code: "PLM5007",
    message: "SharedTarget",
    meaning: "Several objects name the same target; none of them writes.",
    remedy: "delete all but one",
  },
];
