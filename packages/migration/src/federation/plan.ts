// The plan as a value, from what was read.
import type { ReleaseStep } from "../release/contents.ts";
import { type FoundBackend, findBackends, isOwn } from "./backends.ts";
import type { Registered } from "./registered.ts";
import { type Commands, configOf, stepsOf } from "./steps.ts";

/** Another adapter. */
export interface PlannedBackend {
  readonly name: string;
  /** Such as "keda/keda-operator-metrics-apiserver". */
  readonly service: string;
  readonly apiServices: readonly string[];
  /** How its requests are found: "match", or "discovery". */
  readonly foundBy: "match" | "discovery";
}

interface Plan {
  readonly backends: readonly PlannedBackend[];
  /** The file of backends; "" where there are none. */
  readonly config: string;
  readonly steps: readonly ReleaseStep[];
  readonly notes: readonly string[];
}

/** Pure. */
export function planOf(
  registered: Registered,
  commands: Commands & { readonly unsaid: readonly string[] },
  nowMs: number,
): Plan {
  const backends = findBackends(registered);
  return {
    backends: backends.map(({ name, service, apiServices, match }) => ({
      name,
      service: `${service.namespace}/${service.name}`,
      apiServices: apiServices.map(({ metadata }) => metadata.name),
      foundBy: match === undefined ? "discovery" : "match",
    })),
    config: configOf(backends),
    steps: stepsOf(backends, registered.adapter, { ...commands, nowMs }),
    notes: [
      ...notesOf(backends, registered),
      ...(commands.unsaid.length > 0 && backends.length > 0 && registered.adapter.release !== undefined
        ? [
            `Helm has no flag for ${commands.unsaid.join(" and ")}: its commands go to the context's own. Give it a context that has them.`,
          ]
        : []),
    ],
  };
}

function notesOf(backends: readonly FoundBackend[], { adapter, apiServices }: Registered): readonly string[] {
  const insecure = backends.filter(({ ca }) => ca === undefined).map(({ name }) => name);
  const releases = backends.flatMap(({ apiServices: behind }) =>
    behind.flatMap(({ metadata }) => {
      const release = metadata.annotations?.["meta.helm.sh/release-name"];
      return release === undefined ? [] : [`${metadata.name} is of the Helm release ${release}`];
    }),
  );
  const ownOnes = apiServices.filter((one) => isOwn(one, adapter)).map(({ metadata }) => metadata.name);
  return [
    ...(insecure.length === 0
      ? []
      : [
          `The certificate of ${insecure.join(" and ")} is not verified, as in its APIService now. Whoever is in between could read the token of our service account: write its CA into caBundle when you know it.`,
        ]),
    ...(backends.length > 0 && adapter.caBundle === undefined && adapter.injectsCaFrom === undefined
      ? [
          "No APIService of ours has a CA yet: the API server does not verify our certificate until one is written into the APIServices.",
        ]
      : []),
    ...(releases.length === 0
      ? []
      : [
          `${releases.join("; ")}: its next upgrade leads the APIService back. Nothing breaks then; carry the last steps out again.`,
        ]),
    ...(ownOnes.length === 0 ? [] : [`${ownOnes.join(" and ")}: ours already.`]),
  ];
}
