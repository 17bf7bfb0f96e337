import type { CompiledResources } from "../compile/compiled-rules.ts";
import type { ClusterResource, ResourceMapper } from "./cluster-resource.ts";
import { candidatesFor, labelFromTemplate } from "./label-template.ts";

/** Which labels of one rule's series name which resources of the cluster, as of one moment. */
export interface ResourceLabels {
  /** The resource whose objects a label names. */
  resourceFor(label: string): Promise<ClusterResource | undefined>;
  /**
   * The label by which series of a resource are queried, whatever labels they carry.
   * @upstream pkg/naming/resource_converter.go#LabelForResource
   */
  labelFor(info: ClusterResource): Promise<string | undefined>;
  /** Overrides of resources that the cluster does not have (yet). */
  unknownOverrides(): Promise<readonly string[]>;
}

/** Looks each label up once; rejects as the mapper does. */
export function createResourceLabels(resources: CompiledResources, mapper: ResourceMapper): ResourceLabels {
  const byLabel = new Map<string, Promise<ClusterResource | undefined>>();

  const overridden = (label: string): Promise<ClusterResource | undefined> | undefined => {
    const override = resources.overrides.find((candidate) => candidate.label === label);
    return override && Promise.resolve(mapper.byResource(groupResourceOf(override)));
  };

  const fromTemplate = async (label: string): Promise<ClusterResource | undefined> => {
    if (resources.template === undefined) return undefined;
    for (const candidate of candidatesFor(resources.template, label)) {
      const info = await mapper.byResource(groupResourceOf(candidate));
      if (info !== undefined) return info;
    }
    return undefined;
  };

  const resourceFor = (label: string): Promise<ClusterResource | undefined> => {
    const known = byLabel.get(label) ?? overridden(label) ?? fromTemplate(label);
    byLabel.set(label, known);
    return known;
  };

  return {
    resourceFor,
    async labelFor(info) {
      for (const { label } of resources.overrides) {
        const named = await resourceFor(label);
        if (named !== undefined && groupResourceOf(named) === groupResourceOf(info)) return label;
      }
      if (resources.template === undefined) return undefined;
      return labelFromTemplate(resources.template, { group: info.group, resource: info.singular });
    },
    async unknownOverrides() {
      const unknown: string[] = [];
      for (const override of resources.overrides) {
        if ((await resourceFor(override.label)) === undefined) unknown.push(groupResourceOf(override));
      }
      return unknown;
    },
  };
}

/** The same mapper without short names: a label called "no" or "svc" is not a node or a service. */
export function withoutShortNames(mapper: ResourceMapper): ResourceMapper {
  return {
    byResource(groupResource) {
      const [name = ""] = groupResource.toLowerCase().split(".");
      const unlessShort = (info: ClusterResource | undefined): ClusterResource | undefined =>
        info !== undefined && (name === info.resource || name === info.singular) ? info : undefined;
      const found = mapper.byResource(groupResource);
      return found instanceof Promise ? found.then(unlessShort) : unlessShort(found);
    },
  };
}

/** "deployments.apps", or "pods" for the core group. */
export function groupResourceOf({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string {
  return group === "" ? resource : `${resource}.${group}`;
}
