// A request to a federated group, and the path of it at a backend.
import type { FederatedGroup } from "../config/federation-config.ts";

/** A request of a caller who was authenticated and authorized. */
export interface FederatedRequest {
  readonly group: FederatedGroup;
  readonly version: string;
  /** Decoded, behind the version. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly auditId?: string | undefined;
  /** It was handed on by an adapter already. */
  readonly isHandedOn: boolean;
  readonly signal: AbortSignal;
}

/** What was authorized is what is sent: the path is written from the parts that were read. */
export function pathOf({ group, version, segments, query }: FederatedRequest): string {
  const path = `/apis/${group}/${encodeURIComponent(version)}/${segments.map(encodeURIComponent).join("/")}`;
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
