// Reads request bodies, JSON or YAML, up to a limit.
import type { IncomingMessage } from "node:http";
import { messageOf } from "@plimsoll/component-base";
import { protobufMediaType } from "@plimsoll/kube/protobuf";
import { parse as parseYaml } from "yaml";
import { badRequest, StatusError, unsupportedMediaType } from "../errors/status-error.ts";
import { decodeProtobufObject } from "../protobuf/decode-object.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";

const limitBytes = 3 * 1024 * 1024;
const accepted = ["application/json", "application/yaml"];

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > limitBytes) {
      throw new StatusError({
        code: 413,
        reason: "RequestEntityTooLarge",
        message: `Request entity too large: limit is ${limitBytes}`,
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Decodes a JSON, YAML or protobuf body; any other content type is 415. */
export function decodeBody(body: Buffer | string, contentType: string | undefined): unknown {
  switch (mediaType(contentType)) {
    case "":
    case "application/json":
      return decodeJson(body);
    case "application/yaml":
      return decodeYaml(body);
    case protobufMediaType:
      return decodeProtobuf(typeof body === "string" ? Buffer.from(body, "latin1") : body);
    default:
      throw unsupportedMediaType(accepted);
  }
}

// Kinds that no client is known to send as protobuf are refused rather than half read.
function decodeProtobuf(body: Buffer): JsonRecord {
  try {
    const object = decodeProtobufObject(body);
    if (object !== undefined) return object;
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${messageOf(error)}`);
  }
  throw unsupportedMediaType(accepted);
}

export function decodeObject(body: Buffer | string, contentType: string | undefined): JsonRecord {
  const value = decodeBody(body, contentType);
  if (!isRecord(value)) throw badRequest("the object provided is unrecognized (must be of type object)");
  return value;
}

export function decodeJson(body: Buffer | string): unknown {
  try {
    return JSON.parse(textOf(body)) as unknown;
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${messageOf(error)}`);
  }
}

export function decodeYaml(body: Buffer | string): unknown {
  try {
    return parseYaml(textOf(body), { version: "1.1", merge: true }) as unknown;
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${messageOf(error)}`);
  }
}

export function textOf(body: Buffer | string): string {
  return typeof body === "string" ? body : body.toString("utf8");
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
