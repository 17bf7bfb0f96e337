import type { KubeObject } from "@plimsoll/kube";
import { parseManifests } from "@plimsoll/testbed";

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly {
          readonly name: string;
          readonly image: string;
          readonly args: readonly string[];
          readonly volumeMounts?: readonly object[];
        }[];
        readonly volumes?: readonly object[];
      };
    };
  };
}

/** The Deployments among rendered manifests. */
export function deploymentsOf(text: string): readonly Deployment[] {
  return parseManifests(text).filter((object): object is Deployment => object.kind === "Deployment");
}
