import type { ApiContext, ApiRequest, ObjectResponse } from "../rest/api-context.ts";
import { objectResponse } from "../rest/api-context.ts";
import { decodeObject } from "../rest/request-body.ts";
import { numberAt, recordAt } from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { serviceAccountUser, type TokenIssuer } from "./token-issuer.ts";

/** POST …/serviceaccounts/NAME/token, what `kubectl create token` uses. */
export function issueToken(
  request: ApiRequest,
  options: { context: ApiContext; tokens: TokenIssuer; account: StoredObject },
): ObjectResponse {
  const body = decodeObject(request.body, request.headers["content-type"]);
  const seconds = numberAt(body, "spec", "expirationSeconds") ?? 3600;
  const expiresAtMs = options.context.clock.nowMs() + seconds * 1000;
  const { name, namespace = "", uid } = options.account.metadata;
  return objectResponse(
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name, namespace },
      spec: { ...recordAt(body, "spec"), expirationSeconds: seconds },
      status: {
        token: options.tokens.issue(serviceAccountUser(namespace, name, uid), expiresAtMs),
        expirationTimestamp: timestamp(expiresAtMs),
      },
    },
    201,
  );
}
