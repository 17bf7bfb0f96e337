import type { HpaBehavior, ScalingRules } from "../hpa.ts";

/** A behavior in which nothing is left open but the scale-down window, which is then the controller's. */
export interface FullBehavior {
  readonly scaleUp: FullRules;
  readonly scaleDown: FullRules;
}

export interface FullRules extends ScalingRules {
  readonly selectPolicy: string;
  readonly policies: NonNullable<ScalingRules["policies"]>;
}

const upPolicies = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
] as const;

const downPolicies = [{ type: "Percent", value: 100, periodSeconds: 15 }] as const;

/**
 * Fills what the user left out, field by field; a list of policies is taken or left as a whole.
 *
 * @upstream pkg/apis/autoscaling/v2/defaults.go#SetDefaults_HorizontalPodAutoscalerBehavior
 */
export function defaultBehavior(behavior: HpaBehavior): FullBehavior {
  return {
    scaleUp: fillRules(behavior.scaleUp, { stabilizationWindowSeconds: 0, policies: upPolicies }),
    scaleDown: fillRules(behavior.scaleDown, { policies: downPolicies }),
  };
}

function fillRules(
  rules: ScalingRules | null | undefined,
  defaults: { stabilizationWindowSeconds?: number; policies: FullRules["policies"] },
): FullRules {
  const window = rules?.stabilizationWindowSeconds ?? defaults.stabilizationWindowSeconds;
  const tolerance = rules?.tolerance ?? undefined;
  return {
    ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
    selectPolicy: rules?.selectPolicy ?? "Max",
    policies: Array.isArray(rules?.policies) ? rules.policies : defaults.policies,
    ...(tolerance === undefined ? {} : { tolerance }),
  };
}
