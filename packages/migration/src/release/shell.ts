// Commands for a shell.
import { printableJson } from "@plimsoll/component-base/text";
import { shellWord } from "@plimsoll/core/internal/values";
import { stringify } from "yaml";

/** Which cluster, and as whom; what is absent is that of the kubeconfig. */
interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
}

/** Writes `kubectl` commands for the cluster of the plan. */
export type Kubectl = (...args: readonly string[]) => string;

export function kubectlFor({ kubeconfig, context, cluster, user, as, asGroup }: ClusterChoice): Kubectl {
  const flags = Object.entries({ kubeconfig, context, cluster, user, as }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const groups = (asGroup ?? []).flatMap((group) => ["--as-group", group]);
  return (...args) => ["kubectl", ...[...flags, ...groups, ...args].map(shellWord)].join(" ");
}

/** Writes `helm` commands for the same cluster. Helm has no flag for a cluster or a user of the kubeconfig: `unsaid` names those. */
export function helmFor({ kubeconfig, context, cluster, user, as, asGroup }: ClusterChoice): {
  readonly helm: Kubectl;
  readonly unsaid: readonly string[];
} {
  const named = { kubeconfig, "kube-context": context, "kube-as-user": as };
  const flags = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const groups = (asGroup ?? []).flatMap((group) => ["--kube-as-group", group]);
  return {
    helm: (...args) => ["helm", ...[...args, ...flags, ...groups].map(shellWord)].join(" "),
    unsaid: [
      ...(cluster === undefined ? [] : [`--cluster ${cluster}`]),
      ...(user === undefined ? [] : [`--user ${user}`]),
    ],
  };
}

/** A patch. What would control a terminal is an escape of JSON in it, so that it is printed as it is meant. */
export function jsonWord(value: object): string {
  return printableJson(JSON.stringify(value));
}

/** A command that reads these objects. */
export function withManifests(command: string, objects: readonly object[]): string {
  // Strings are quoted: YAML 1.1 takes some of them for other values.
  const texts = objects.map((object) =>
    stringify(object, {
      lineWidth: 0,
      version: "1.1",
      defaultStringType: "QUOTE_DOUBLE",
      defaultKeyType: "PLAIN",
    }),
  );
  // Between double quotes YAML has the escapes of JSON.
  return `${command} <<'MANIFESTS'\n${printableJson(texts.join("---\n"))}MANIFESTS`;
}
