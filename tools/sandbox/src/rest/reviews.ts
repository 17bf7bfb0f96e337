// TokenReviews and access reviews: evaluated at once, never stored.
import type { AccessAttributes } from "../auth/access.ts";
import { storedRule } from "../auth/policy-rule.ts";
import type { UserRules } from "../auth/rbac.ts";
import type { TokenIssuer } from "../auth/token-issuer.ts";
import { authenticatedUser, type UserInfo } from "../auth/user.ts";
import { badRequest } from "../errors/status-error.ts";
import { isRecord, type JsonRecord, recordAt, stringAt } from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import type { ApiContext, ApiRequest, ObjectResponse } from "./api-context.ts";
import { objectResponse } from "./api-context.ts";
import { decodeObject } from "./request-body.ts";

/** Resources that are only created: the response has the result, and nothing is stored. */
export interface ReviewDefinition {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly review: (body: JsonRecord, options: ReviewInput) => JsonRecord;
}

export interface ReviewInput {
  readonly context: ApiContext;
  readonly tokens: TokenIssuer;
  readonly user: UserInfo;
}

const authentication = { group: "authentication.k8s.io", version: "v1" };
const authorization = { group: "authorization.k8s.io", version: "v1" };

export const reviewDefinitions: readonly ReviewDefinition[] = [
  {
    ...authentication,
    resource: "tokenreviews",
    kind: "TokenReview",
    namespaced: false,
    review: reviewToken,
  },
  {
    ...authentication,
    resource: "selfsubjectreviews",
    kind: "SelfSubjectReview",
    namespaced: false,
    review: (_body, { user }) => ({ userInfo: wireUser(user) }),
  },
  {
    ...authorization,
    resource: "subjectaccessreviews",
    kind: "SubjectAccessReview",
    namespaced: false,
    review: (body, options) => reviewAccess(body, options, subjectOf(body)),
  },
  {
    ...authorization,
    resource: "localsubjectaccessreviews",
    kind: "LocalSubjectAccessReview",
    namespaced: true,
    review: (body, options) => reviewAccess(body, options, subjectOf(body)),
  },
  {
    ...authorization,
    resource: "selfsubjectaccessreviews",
    kind: "SelfSubjectAccessReview",
    namespaced: false,
    review: (body, options) => reviewAccess(body, options, options.user),
  },
  {
    ...authorization,
    resource: "selfsubjectrulesreviews",
    kind: "SelfSubjectRulesReview",
    namespaced: false,
    review: reviewRules,
  },
];

const nothing = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
const unlimited: UserRules = {
  rules: [
    { ...nothing, verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { ...nothing, verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  errors: [],
};

/** All rules of the caller in a namespace. */
function reviewRules(body: JsonRecord, { context, user }: ReviewInput): JsonRecord {
  const namespace = stringAt(body, "spec", "namespace") ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, errors } = context.rbac?.rulesOf(user, namespace) ?? unlimited;
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map((rule) => storedRule({ ...rule, nonResourceURLs: [] })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: errors.length > 0,
    ...(errors.length === 0 ? {} : { evaluationError: errors.join(", ") }),
  };
}

export function createReview(
  definition: ReviewDefinition,
  request: ApiRequest,
  options: ReviewInput,
): ObjectResponse {
  const body = decodeObject(request.body, request.headers["content-type"]);
  const review = {
    kind: definition.kind,
    apiVersion: `${definition.group}/${definition.version}`,
    metadata: { creationTimestamp: timestamp(options.context.clock.nowMs()) },
    ...(body["spec"] === undefined ? {} : { spec: body["spec"] }),
    status: definition.review(body, options),
  };
  return objectResponse(review, 201);
}

function reviewToken(body: JsonRecord, { context, tokens }: ReviewInput): JsonRecord {
  const user = tokens.verify(stringAt(body, "spec", "token") ?? "", context.clock.nowMs());
  if (user === undefined) return { user: {}, error: "[invalid bearer token]" };
  const audiences = recordAt(body, "spec")?.["audiences"];
  return {
    authenticated: true,
    user: wireUser(authenticatedUser(user)),
    ...(Array.isArray(audiences) ? { audiences } : {}),
  };
}

function reviewAccess(body: JsonRecord, { context }: ReviewInput, user: UserInfo): JsonRecord {
  const decision = context.authorize(attributesOf(body, user));
  return { allowed: decision.allowed, ...(decision.reason === undefined ? {} : { reason: decision.reason }) };
}

function attributesOf(body: JsonRecord, user: UserInfo): AccessAttributes {
  const path = recordAt(body, "spec", "nonResourceAttributes");
  if (path !== undefined)
    return { user, verb: stringAt(path, "verb") ?? "", path: stringAt(path, "path") ?? "" };
  const resource = recordAt(body, "spec", "resourceAttributes");
  const text = (key: string): string => stringAt(resource, key) ?? "";
  return {
    user,
    verb: text("verb"),
    resource: {
      group: text("group"),
      version: text("version"),
      resource: text("resource"),
      subresource: text("subresource"),
      namespace: text("namespace"),
      name: text("name"),
    },
  };
}

function subjectOf(body: JsonRecord): UserInfo {
  const spec = recordAt(body, "spec") ?? {};
  const extra = isRecord(spec["extra"]) ? spec["extra"] : {};
  return {
    username: stringAt(spec, "user") ?? "",
    uid: stringAt(spec, "uid") ?? "",
    groups: Array.isArray(spec["groups"]) ? spec["groups"].map(String) : [],
    extra: Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [key, Array.isArray(values) ? values.map(String) : []]),
    ),
  };
}

function wireUser(user: UserInfo): JsonRecord {
  return {
    username: user.username,
    ...(user.uid === "" ? {} : { uid: user.uid }),
    groups: user.groups,
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}
