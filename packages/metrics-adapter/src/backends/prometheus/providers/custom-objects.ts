// The objects that a request for a custom metric is about.
import { type Awaitable, type CacheMeter, createComputedCache } from "@plimsoll/component-base";
import { type CustomEntry, groupResourceOf, isNamespaceName, isObjectName } from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { ObservedObject } from "../../../objects/observed-object.ts";
import type { CustomRequest } from "./custom-api.ts";
import { type Failed, failed, type Outcome, ok, whenOk } from "./outcome.ts";
import type { SelectedPart } from "./pipeline.ts";

/** The objects that a request is about: the named one, or those that its selector selects. */
export type SelectObjects = (request: CustomRequest, entry: OfObjects) => Awaitable<Outcome<SelectedPart>>;

/** A metric of objects, whoever defines it. */
type OfObjects = Pick<CustomEntry, "info">;

export function createSelectObjects(objects: Pick<Objects, "select">, meter?: CacheMeter): SelectObjects {
  /** The same list for the same object, so that what is computed for a list can be cached with it. */
  const singleNames = createComputedCache<undefined, readonly string[]>({
    name: "names",
    meter,
    maxBytes: 4 * 1024 * 1024,
  });
  return (request, entry) => {
    const { namespace, name } = request.query;
    const isPossible = namespace === undefined || isNamespaceName(namespace);
    if (name !== "*") {
      // What cannot be a name names nothing; it must not come near a query either.
      return isPossible && isObjectName(name)
        ? ok({ key: name, names: singleNames.get(name, undefined, (only) => [only]), isUnchanged: always })
        : noValue(request, entry, "no object can have that name");
    }
    const { caller, objectSelector } = request;
    if (!isPossible) return noneSelected(request, entry, "");
    return whenOk(
      objects.select({ info: entry.info, namespace, selector: objectSelector, caller }),
      (selection) => {
        const names = namesOf(selection.objects);
        const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
        return names.length === 0
          ? noneSelected(request, entry, where)
          : ok({ key: `* ${objectSelector.toString()}`, names, isUnchanged: selection.isUnchanged });
      },
    );
  };
}

function noneSelected({ objectSelector }: CustomRequest, entry: OfObjects, where: string): Failed {
  const resource = groupResourceOf(entry.info);
  const message = `no ${resource} match the selector ${JSON.stringify(objectSelector.toString())}${where}`;
  return failed("NoObjectsSelected", message, { resource });
}

/** The named object has no value. */
export function noValue({ query }: CustomRequest, entry: OfObjects, cause: string): Failed {
  const resource = groupResourceOf(entry.info);
  const message = `the server could not find the metric ${query.metric} for ${resource} ${query.name}: ${cause}`;
  return failed("ObjectNotFound", message, { resource, name: query.name });
}

const listedNames = new WeakMap<readonly ObservedObject[], readonly string[]>();
const always = (): boolean => true;

function namesOf(objects: readonly ObservedObject[]): readonly string[] {
  const known = listedNames.get(objects);
  if (known !== undefined) return known;
  const names = objects.map((object) => object.metadata.name).filter(isObjectName);
  listedNames.set(objects, names);
  return names;
}
