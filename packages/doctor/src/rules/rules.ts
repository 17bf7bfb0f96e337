// The table of all rules.
import type { Rule } from "../rule.ts";
import { apiServiceRules } from "./api-services.ts";
import { capacityRules } from "./capacity.ts";
import { conflictRules } from "./conflicts.ts";
import { frontRules } from "./fronts.ts";
import { lifecycleRules } from "./lifecycle.ts";
import { limitRules } from "./limits.ts";
import { metricRuleRules } from "./metric-rules.ts";
import { metricRules } from "./metrics.ts";
import { movementRules } from "./movement.ts";
import { requestRules } from "./requests.ts";
import { sampleRules } from "./samples.ts";
import { scheduleRules } from "./schedules.ts";
import { servedRules } from "./served.ts";
import { targetRules } from "./target.ts";
import { unreadRules } from "./unread.ts";
import { writerRules } from "./writers.ts";

/** All rules, in the order of their identifiers. */
export const rules: readonly Rule[] = [
  ...conflictRules,
  ...writerRules,
  ...targetRules,
  ...requestRules,
  ...apiServiceRules,
  ...servedRules,
  ...unreadRules,
  ...frontRules,
  ...sampleRules,
  ...metricRules,
  ...limitRules,
  ...capacityRules,
  ...movementRules,
  ...scheduleRules,
  ...lifecycleRules,
  ...metricRuleRules,
].toSorted((a, b) => (a.id < b.id ? -1 : 1));
