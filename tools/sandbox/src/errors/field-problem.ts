import { StatusError } from "./status-error.ts";

export type ProblemType = "required" | "invalid" | "notSupported" | "forbidden" | "duplicate" | "tooLong";

/** One finding of validation, as upstream's field.Error. */
export interface FieldProblem {
  readonly type: ProblemType;
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

const causes: Readonly<Record<ProblemType, { reason: string; title: string }>> = {
  required: { reason: "FieldValueRequired", title: "Required value" },
  invalid: { reason: "FieldValueInvalid", title: "Invalid value" },
  notSupported: { reason: "FieldValueNotSupported", title: "Unsupported value" },
  forbidden: { reason: "FieldValueForbidden", title: "Forbidden" },
  duplicate: { reason: "FieldValueDuplicate", title: "Duplicate value" },
  tooLong: { reason: "FieldValueTooLong", title: "Too long" },
};

export function required(field: string, detail = ""): FieldProblem {
  return { type: "required", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldProblem {
  return { type: "invalid", field, value, detail };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldProblem {
  const list = supported.map((text) => JSON.stringify(text)).join(", ");
  return { type: "notSupported", field, value, detail: `supported values: ${list}` };
}

/** 422 with every problem in the message and in details.causes. */
export function invalidObject(
  kind: { group: string; kind: string },
  name: string,
  problems: readonly FieldProblem[],
): StatusError {
  const texts = problems.map((problem) => `${problem.field}: ${describe(problem)}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const subject = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return new StatusError({
    code: 422,
    reason: "Invalid",
    message: `${subject} "${name}" is invalid: ${list}`,
    details: {
      name,
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.kind,
      causes: problems.map((problem) => ({
        reason: causes[problem.type].reason,
        message: describe(problem),
        field: problem.field,
      })),
    },
  });
}

function describe(problem: FieldProblem): string {
  const { title } = causes[problem.type];
  const withoutValue = ["required", "forbidden", "tooLong"].includes(problem.type);
  const value = withoutValue ? "" : `: ${JSON.stringify(problem.value ?? null)}`;
  const detail = problem.detail === "" ? "" : `: ${problem.detail}`;
  return `${title}${value}${detail}`;
}
