// Defaults, validates and updates HPAs.
import { ensureRecord, isRecord, type JsonRecord, setDefault } from "../storage/json-value.ts";
import { plainStrategy, type Strategy } from "./definition.ts";
import { validateHpa } from "./hpa-validation.ts";

/** autoscaling/v2 is the stored version. */
export const hpaStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    setDefault(spec, "minReplicas", 1);
    if (!Array.isArray(spec["metrics"]) || spec["metrics"].length === 0) spec["metrics"] = [defaultMetric()];
    if (isRecord(spec["behavior"])) setBehaviorDefaults(spec["behavior"]);
    else delete spec["behavior"];
  },
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: validateHpa,
};

export function defaultMetric(): JsonRecord {
  return {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
  };
}

/** @upstream pkg/apis/autoscaling/v2/defaults.go#SetDefaults_HorizontalPodAutoscalerBehavior */
function setBehaviorDefaults(behavior: JsonRecord): void {
  const up = ensureRecord(behavior, "scaleUp");
  setDefault(up, "stabilizationWindowSeconds", 0);
  setDefault(up, "selectPolicy", "Max");
  setDefault(up, "policies", [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ]);
  const down = ensureRecord(behavior, "scaleDown");
  setDefault(down, "selectPolicy", "Max");
  setDefault(down, "policies", [{ type: "Percent", value: 100, periodSeconds: 15 }]);
}
