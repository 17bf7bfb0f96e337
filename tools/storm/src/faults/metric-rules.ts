// Users that edit and delete MetricRules.
import { minuteMs } from "@plimsoll/core/internal/values";
import { drawRuleEdit } from "../objects/metric-rules.ts";
import type { FaultKind } from "../run/world.ts";
import { detailsOf, drawObject, pathOf } from "./autoscaling-objects.ts";
import { manifestOf } from "./details.ts";
import { applyAsUser, patchAsUser, sendAsUser } from "./user-request.ts";

const metricRule = ["MetricRule"];

export const metricRuleFaults: Readonly<Record<string, FaultKind>> = {
  /** The query is another one, which may be refused or without a series, for as long as it lasts. */
  "metric-rule-edited": {
    draw(random, setup) {
      const rule = drawObject(random, setup, metricRule);
      return rule && { ...detailsOf(rule), body: drawRuleEdit(random, rule) };
    },
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      patchAsUser(world.cluster, pathOf(event), event.details["body"]);
      return () => {
        const manifest = manifestOf(event, "object", world.scenario.setup);
        if (manifest !== undefined) applyAsUser(world, manifest, "user");
      };
    },
  },
  "metric-rule-deleted": {
    draw(random, setup) {
      const rule = drawObject(random, setup, metricRule);
      return rule && detailsOf(rule);
    },
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      sendAsUser(world.cluster, { user: "user", method: "DELETE", path: pathOf(event) });
      return () => {
        const manifest = manifestOf(event, "object", world.scenario.setup);
        if (manifest !== undefined) applyAsUser(world, manifest, "user");
      };
    },
  },
};
