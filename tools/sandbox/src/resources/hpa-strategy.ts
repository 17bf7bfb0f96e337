// Defaults, validates and converts HPAs as the API server does: by the core, which is checked against upstream.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { ConversionError, convertHpa, defaultHpa, type Problem, validateHpa } from "@plimsoll/core/api";
import type { ProblemType } from "../errors/field-problem.ts";
import { StatusError } from "../errors/status-error.ts";
import type { ApiObject } from "../storage/api-object.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type Conversion, plainStrategy, type Strategy } from "./definition.ts";

/** autoscaling/v2 is the stored version. */
export const hpaStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    // The API server refuses values of another type when it decodes them.
    converted(object, "v2");
    object.spec = structuredClone(
      defaultHpa(object as unknown as HorizontalPodAutoscaler).spec,
    ) as ApiObject["spec"];
  },
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: (object, old) =>
    validateHpa(object, { old })
      // The name is checked for every kind.
      .filter(({ path }) => path !== "metadata.name")
      .map(({ path, type, value, message }) => ({ type: types[type], field: path, value, detail: message })),
};

const types: Readonly<Record<Problem["type"], ProblemType>> = {
  Required: "required",
  Invalid: "invalid",
  NotSupported: "notSupported",
  Forbidden: "forbidden",
  TooLong: "tooLong",
};

/** autoscaling/v1 carries what it has no fields for in annotations. */
export const hpaV1Conversion: Conversion = {
  toStored: (object) => converted(object, "v2") as ApiObject,
  fromStored: (object) => converted(object, "v1") as StoredObject,
};

function converted(object: ApiObject | StoredObject, version: string): unknown {
  try {
    return convertHpa(object, version);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const { kind, apiVersion = "" } = object;
    const refused = `${kind} in version ${JSON.stringify(apiVersion.split("/")[1])} cannot be handled as a ${kind}`;
    throw new StatusError({ code: 400, reason: "BadRequest", message: `${refused}: ${error.message}` });
  }
}
