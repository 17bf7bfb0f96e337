export type StoreErrorReason = "NotFound" | "AlreadyExists" | "Conflict";

/** A write that the store refuses. `resource` is the storage key, for example `deployments.apps`. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason;
  readonly resource: string;
  readonly objectName: string;

  constructor(reason: StoreErrorReason, resource: string, objectName: string) {
    super(`${reason}: ${resource} "${objectName}"`);
    this.name = "StoreError";
    this.reason = reason;
    this.resource = resource;
    this.objectName = objectName;
  }
}
