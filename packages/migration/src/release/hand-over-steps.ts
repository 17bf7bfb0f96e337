// The steps after which the built-in controller scales.
import { managedAnnotation, reclaimAnnotation } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { ReleaseStep } from "./contents.ts";
import { annotationOf, managedMode, namespaceOf, scaleKey } from "./installed.ts";
import type { Outcome } from "./outcomes.ts";
import type { Planned } from "./planned.ts";
import { jsonWord, withManifests } from "./shell.ts";

type MadeHpa = Extract<Outcome, { readonly kind: "hpa" }>;

export function handOverSteps(planned: Planned): readonly ReleaseStep[] {
  return [
    ...marks(planned),
    ...created(planned),
    ...builtIn(planned),
    ...checked(planned),
    ...fromZero(planned),
  ];
}

export function madeNow({ outcomes }: Planned): readonly MadeHpa[] {
  return outcomes.filter((outcome) => outcome.kind === "hpa").filter(({ isNow }) => isNow);
}

function marks({ installed, kubectl }: Planned): readonly ReleaseStep[] {
  const names = [managedAnnotation, reclaimAnnotation];
  const marked = installed.hpas.flatMap((hpa) => {
    const own = names.filter((name) => annotationOf(hpa, name) !== undefined);
    return own.length === 0 ? [] : [{ hpa, own }];
  });
  if (marked.length === 0) return [];
  return [
    {
      title: "Remove the marks of managed HorizontalPodAutoscalers",
      reason: "Nothing reads them any more. Take-over changed nothing else of them.",
      commands: marked.map(({ hpa, own }) =>
        kubectl(
          "-n",
          namespaceOf(hpa),
          "annotate",
          "hpa",
          hpa.metadata.name,
          ...own.map((name) => `${name}-`),
        ),
      ),
      undo: {
        commands: marked.map(({ hpa, own }) =>
          kubectl(
            "-n",
            namespaceOf(hpa),
            "annotate",
            "hpa",
            hpa.metadata.name,
            ...own.map((name) => `${name}=${annotationOf(hpa, name) ?? ""}`),
          ),
        ),
        note: "They have an effect once the autoscaler runs.",
      },
    },
  ];
}

/** With `create`, so that an HPA of this name that is made meanwhile is not overwritten. */
function created(planned: Planned): readonly ReleaseStep[] {
  const { kubectl } = planned;
  const made = madeNow(planned);
  if (made.length === 0) return [];
  return [
    {
      title: "Create the HorizontalPodAutoscalers of WorkloadAutoscalers",
      reason:
        "The built-in controller scales each from its next evaluation on; it scales none down before its stabilization window has passed once.",
      commands: [
        withManifests(
          kubectl("create", "-f", "-"),
          made.map(({ hpa }) => hpa),
        ),
        ...made.flatMap((one) => zeroMark(planned, one)),
      ],
      undo: {
        commands: made.map(({ wla, name }) =>
          kubectl("-n", namespaceOf(wla), "delete", "hpa", name, "--cascade=orphan"),
        ),
        note: "As long as the WorkloadAutoscalers are there, the autoscaler takes their targets back when it runs.",
      },
    },
  ];
}

/** From 1.36 on a zero that no condition explains is one of a person, and stays. */
function zeroMark({ installed, kubectl }: Planned, { wla, hpa, name }: MadeHpa): readonly string[] {
  const condition = wla.status?.conditions?.find(({ type }) => type === "ScaledToZero");
  const { minReplicas } = fieldsOf(hpa["spec"]);
  const isZero = installed.scales.get(scaleKey(namespaceOf(wla), wla.spec.scaleTargetRef))?.replicas === 0;
  if (!isZero || minReplicas !== 0 || condition?.status !== "True" || (installed.minor ?? 0) < 36) return [];
  const { lastTransitionTime, reason, message } = condition as unknown as Fields;
  const status = {
    currentReplicas: 0,
    desiredReplicas: 0,
    conditions: [{ type: "ScaledToZero", status: "True", lastTransitionTime, reason, message }],
  };
  return [
    kubectl(
      "-n",
      namespaceOf(wla),
      "patch",
      "hpa",
      name,
      "--subresource=status",
      "--type=merge",
      "-p",
      jsonWord({ status }),
    ),
  ];
}

function builtIn({ installed, managed }: Planned): readonly ReleaseStep[] {
  if (managed.length === 0 && managedMode(installed) === "none") return [];
  return [
    {
      title: "Switch the built-in controller on",
      reason:
        "By hand: remove -horizontal-pod-autoscaler-controller from --controllers of kube-controller-manager (kubeadm: /etc/kubernetes/manifests/kube-controller-manager.yaml on each control-plane node). It goes on from the statuses of the HPAs.",
      commands: [],
      undo: {
        commands: [],
        note: "Add -horizontal-pod-autoscaler-controller again before the autoscaler runs.",
      },
    },
  ];
}

function checked(planned: Planned): readonly ReleaseStep[] {
  const { managed, kubectl } = planned;
  const hpas = [
    ...managed.map((hpa) => ({
      namespace: namespaceOf(hpa),
      name: hpa.metadata.name,
      zero: isAtZero(planned, hpa),
    })),
    ...madeNow(planned).map((one) => ({
      namespace: namespaceOf(one.wla),
      name: one.name,
      zero: isAtZero(planned, one.wla) && zeroMark(planned, one).length === 0,
    })),
    ...planned.outcomes.flatMap((outcome) =>
      outcome.kind === "there"
        ? [{ namespace: namespaceOf(outcome.wla), name: outcome.name, zero: isAtZero(planned, outcome.wla) }]
        : [],
    ),
  ].filter(({ zero }) => !zero);
  const names = [...new Map(hpas.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
  if (names.length === 0) return [];
  return [
    {
      title: "Look whether the built-in controller scales each",
      reason: "Do not go on before all of them have ScalingActive: what follows is harder to take back.",
      commands: names.map(({ namespace, name }) =>
        kubectl("-n", namespace, "wait", `hpa/${name}`, "--for=condition=ScalingActive", "--timeout=120s"),
      ),
      undo: { commands: [], note: "Nothing was changed." },
    },
  ];
}

function isAtZero({ installed }: Planned, object: Outcome["wla"]): boolean {
  return installed.scales.get(scaleKey(namespaceOf(object), object.spec.scaleTargetRef))?.replicas === 0;
}

/** Targets that no HPA would scale up from zero: the one write that changes replicas, and last for that. */
function fromZero(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl } = planned;
  const stuck = madeNow(planned).flatMap(({ wla, hpa }) => {
    const scale = installed.scales.get(scaleKey(namespaceOf(wla), wla.spec.scaleTargetRef));
    const isStuck = scale?.replicas === 0 && fieldsOf(hpa["spec"])["minReplicas"] !== 0;
    return isStuck ? [{ namespace: namespaceOf(wla), typed: scale.typed }] : [];
  });
  if (stuck.length === 0) return [];
  return [
    {
      title: "Start targets that have no replica",
      reason:
        "Without the feature gate HPAScaleToZero the built-in controller leaves a target at zero alone. This is the one step that changes replicas; leave out those that are to stay at zero.",
      commands: stuck.map(({ namespace, typed }) => kubectl("-n", namespace, "scale", typed, "--replicas=1")),
      undo: {
        commands: stuck.map(({ namespace, typed }) =>
          kubectl("-n", namespace, "scale", typed, "--replicas=0"),
        ),
        note: "At zero the built-in controller does nothing.",
      },
    },
  ];
}
