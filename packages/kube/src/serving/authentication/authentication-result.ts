// Who the caller of a request is, or why that is unknown.
import type { User } from "../../reviews/identity.ts";

export type AuthenticationMethod = "front-proxy" | "x509" | "token";

export type AuthenticationResult =
  | { readonly type: "user"; readonly user: User; readonly method: AuthenticationMethod }
  | { readonly type: "anonymous" }
  | { readonly type: "refused"; readonly reason: string }
  /** The API server did not say whose credentials these are. */
  | { readonly type: "unreviewed"; readonly reason: string }
  | { readonly type: "busy" };
