// The scale subresource.
import { invalid, invalidObject } from "../errors/field-problem.ts";
import { badRequest, internalError, notFound } from "../errors/status-error.ts";
import { type ScalePaths, scaleOf, withReplicas } from "../resources/scale-object.ts";
import { thaw } from "../storage/api-object.ts";
import { type JsonRecord, numberAt, recordAt, stringAt } from "../storage/json-value.ts";
import type { ApiContext, ApiRequest, ObjectResponse } from "./api-context.ts";
import { objectResponse } from "./api-context.ts";
import { patchedValue } from "./patch-request.ts";
import { currentObject, servedObject, type Target } from "./read-handlers.ts";
import { decodeObject } from "./request-body.ts";
import { storeChanged, writeOptions } from "./write-object.ts";

export function getScale(context: ApiContext, target: Target, name: string): ObjectResponse {
  const paths = pathsOf(target, name);
  const object = servedObject(target.definition, currentObject(context, target, name));
  const scale = scaleOf(object, paths);
  if (scale === undefined)
    throw internalError(
      `the spec replicas field ${JSON.stringify(paths.specReplicas.join("."))} does not exist`,
    );
  return objectResponse(scale);
}

export function updateScale(
  context: ApiContext,
  target: Target,
  input: { name: string; request: ApiRequest },
): ObjectResponse {
  const body = decodeObject(input.request.body, input.request.headers["content-type"]);
  return storeScale(context, target, { ...input, scale: body });
}

export function patchScale(
  context: ApiContext,
  target: Target,
  input: { name: string; request: ApiRequest },
): ObjectResponse {
  const { object } = getScale(context, target, input.name);
  const scale = patchedValue(object, target.definition, input.request);
  return storeScale(context, target, { ...input, scale });
}

function storeScale(
  context: ApiContext,
  target: Target,
  input: { name: string; request: ApiRequest; scale: JsonRecord },
): ObjectResponse {
  const { definition } = target;
  const { name, request, scale } = input;
  const kind = stringAt(scale, "kind") ?? "Scale";
  if (kind !== "Scale") throw badRequest(`expected a Scale but got a ${kind}`);
  const sent = recordAt(scale, "metadata") ?? {};
  const sentName = stringAt(sent, "name") ?? "";
  if (sentName !== "" && sentName !== name) {
    throw badRequest(`the name of the object (${sentName}) does not match the name on the URL (${name})`);
  }
  const replicas = numberAt(scale, "spec", "replicas") ?? 0;
  if (replicas < 0 || !Number.isInteger(replicas)) {
    const problem = invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalidObject({ group: "autoscaling", kind: "Scale" }, name, [problem]);
  }
  const current = currentObject(context, target, name);
  const object = thaw(servedObject(definition, current));
  const { resourceVersion, uid } = sent;
  // The version of the Scale is the precondition of the write.
  delete object.metadata.resourceVersion;
  if (typeof resourceVersion === "string") object.metadata.resourceVersion = resourceVersion;
  if (typeof uid === "string" && uid !== "") object.metadata.uid = uid;
  withReplicas(object, pathsOf(target, name), replicas);
  const options = writeOptions(context, definition, request, "scale");
  const stored = storeChanged(context, definition, { current, object, part: "main", options });
  const changed = scaleOf(servedObject(definition, stored), pathsOf(target, name));
  return objectResponse(changed ?? {});
}

function pathsOf(target: Target, name: string): ScalePaths {
  if (target.definition.scale === undefined) throw notFound(target.definition, name);
  return target.definition.scale;
}
