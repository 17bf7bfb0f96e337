// What an authorizer is asked, and what it says.
import type { UserInfo } from "./user.ts";

/** What is to be allowed or not; the shape of SubjectAccessReview's spec. */
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** For requests that are about no resource. */
  readonly path?: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Undefined leaves the decision to the default. */
export type AuthorizeHook = (attributes: AccessAttributes) => AccessDecision | undefined;

export type Authorizer = (attributes: AccessAttributes) => AccessDecision;
