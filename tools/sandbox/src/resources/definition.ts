import type { ResourceInfo } from "@plimsoll/kube";
import type { FieldProblem } from "../errors/field-problem.ts";
import type { MergeSchema } from "../patch/merge-schema.ts";
import type { ApiObject } from "../storage/api-object.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { PrinterColumn } from "../tables/index.ts";
import type { ScalePaths } from "./scale-object.ts";

/** One resource in one version, as it is served. */
export interface ResourceDefinition extends Omit<ResourceInfo, "hasScale"> {
  readonly categories: readonly string[];
  /** Where its objects are stored: "pods", "deployments.apps". Versions of one resource share it. */
  readonly storage: string;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  /** Served subresources other than status and scale. */
  readonly extras: readonly SubresourceDefinition[];
  readonly schema: MergeSchema;
  /** Strategic merge patch is for built-in kinds only. */
  readonly strategicMerge: boolean;
  readonly strategy: Strategy;
  readonly conversion: Conversion;
  /** Extra printer columns and OpenAPI of a custom resource; undefined for the built-in kinds. */
  readonly custom: CustomResource | undefined;
}

export interface SubresourceDefinition {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface CustomResource {
  readonly columns: readonly PrinterColumn[];
  readonly openApiSchema: unknown;
}

/** Between the served and the stored version; both copy nothing when there is nothing to do. */
export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: StoredObject): StoredObject;
}

/** What a kind does at the usual moments. Every hook changes the object in place, in the stored version. */
export interface Strategy {
  /** Fills in defaults, on create and on update. */
  readonly setDefaults: (object: ApiObject) => void;
  /** What only the server decides at create, for example status. */
  readonly prepareForCreate: (object: ApiObject, context: StrategyContext) => void;
  readonly prepareForUpdate: (object: ApiObject, old: StoredObject) => void;
  readonly validate: (object: ApiObject, old: StoredObject | undefined) => readonly FieldProblem[];
  /** Field selector keys besides metadata.name and metadata.namespace. */
  readonly selectableFields: (object: StoredObject) => Readonly<Record<string, string>>;
}

export interface StrategyContext {
  readonly nowMs: number;
  /** A number that no other object of this server got. */
  readonly sequence: () => number;
}

export const identityConversion: Conversion = {
  toStored: (object) => object,
  fromStored: (object) => object,
};

export const plainStrategy: Strategy = {
  setDefaults: () => {},
  prepareForCreate: () => {},
  prepareForUpdate: () => {},
  validate: () => [],
  selectableFields: () => ({}),
};

export const standardVerbs: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
