/** The Kubernetes release whose rules apply. */
export type SemanticsProfile = "1.32" | "1.35" | "1.36" | "1.37" | "1.38";

/** What kube-controller-manager takes from its flags and feature gates. */
export interface ControllerOptions {
  /** Fraction, both directions (0.1). */
  readonly tolerance: number;
  /** 300 000. */
  readonly cpuInitializationPeriodMs: number;
  /** 30 000. */
  readonly initialReadinessDelayMs: number;
  /** 300 000. */
  readonly downscaleStabilizationMs: number;
  /** Feature gate HPAScaleToZero (true). */
  readonly scaleToZero: boolean;
  /** A zero counts as the object's own where its minReplicas is 0 or a schedule is at zero, whoever scaled to it (false). */
  readonly adoptsFromZero?: boolean;
  /** "1.37". */
  readonly semantics: SemanticsProfile;
  /** The retired --horizontal-pod-autoscaler-upscale-delay: no scale-up for so long after a scale. 0 is off. */
  readonly upscaleForbiddenWindowMs: number;
  /** The retired --horizontal-pod-autoscaler-downscale-delay. 0 is off. */
  readonly downscaleForbiddenWindowMs: number;
}

/** The defaults of kube-controller-manager. */
export const defaultOptions: ControllerOptions = {
  tolerance: 0.1,
  cpuInitializationPeriodMs: 300_000,
  initialReadinessDelayMs: 30_000,
  downscaleStabilizationMs: 300_000,
  scaleToZero: true,
  adoptsFromZero: false,
  semantics: "1.37",
  upscaleForbiddenWindowMs: 0,
  downscaleForbiddenWindowMs: 0,
};
