// Checks vectors of decision records.
import { decodeRecord, diffDecisions, encodeRecord, RecordError, replay, withoutTrace } from "@plimsoll/core";
import { type CaseDifference, differ } from "../difference.ts";
import { readList, readObject, VectorError } from "../read.ts";

/** Records of one object in the order in which they were made; each must replay to the bytes that it holds. */
export function checkRecords(given: unknown): readonly CaseDifference[] {
  const vector = readObject(given, "", ["name", "records"]);
  return readList(vector, "records", "").flatMap((record, i) => checkRecord(record, `records[${i}]`));
}

/** One record, as `encodeRecord` wrote it: what it decides again is compared to the byte. */
export function checkRecord(given: unknown, path: string): readonly CaseDifference[] {
  const text = JSON.stringify(given);
  const record = decoded(text, path);
  const again = encodeRecord(record);
  if (again !== text) return [differ(path, text, again)];
  const result = replay(record);
  const { decision, memory } = withoutTrace(result);
  const [expected, actual] = [JSON.stringify(record.result), JSON.stringify({ decision, memory })];
  if (expected === actual) return [];
  const fields = diffDecisions(parsed(record.result.decision), parsed(decision)).flatMap(
    (step) => step.fields,
  );
  return fields.length === 0
    ? [differ(`${path}.result`, expected, actual)]
    : fields.map(({ path: field, a, b }) => differ(`${path}.result.decision.${field}`, a, b));
}

function decoded(text: string, path: string) {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof RecordError) throw new VectorError(path, error.message);
    throw error;
  }
}

/** As JSON has it, where a field that is undefined is absent. */
function parsed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
